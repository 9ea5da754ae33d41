import { CommandError } from './command-error.ts';
import type { Fields } from './wire.ts';

const types: readonly string[] =
  'double string object array binData objectId bool date null regex int timestamp long decimal minKey maxKey number'.split(
    ' ',
  );

/** Refuses the condition of a field of which mingo takes what the server does not. */
export function refuseCondition(condition: unknown): void {
  if (!isPlain(condition)) return;
  const bad = (text: string, code = 2, name = 'BadValue') => new CommandError(code, name, text);
  if (!Object.keys(condition).some((name) => name.startsWith('$'))) return;
  for (const [name, operand] of Object.entries(condition)) {
    if (!name.startsWith('$')) throw bad(`unknown operator: ${name}`);
    if (name === '$mod' && (!Array.isArray(operand) || operand.length !== 2))
      throw bad('malformed mod, not enough elements');
    if (name === '$size' && typeof operand !== 'number') throw bad('Failed to parse $size. Expected a number');
    if (name === '$elemMatch' && !isPlain(operand)) throw bad('$elemMatch needs an Object');
    if (name === '$type' && typeof operand === 'string' && !types.includes(operand))
      throw bad(`Unknown type name alias: ${operand}`);
    if (name === '$regex' && typeof operand === 'string' && !isPattern(operand))
      throw bad('Regular expression is invalid', 51_091, 'Location51091');
    if (name === '$not') refuseCondition(operand);
  }
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text) !== undefined;
  } catch {
    return false;
  }
}

function isPlain(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
