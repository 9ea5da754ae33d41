import type { BinaryOperator } from '../ast.ts';
import { bool, bytes, type CelType, double, duration, dyn, string, timestamp } from '../types.ts';
import { isMapLike, isNumber, join } from './relations.ts';

/** The type of `left operator right`; undefined when no values of these types can meet so. */
export function operatorType(
  operator: Exclude<BinaryOperator, '&&' | '||' | '??'>,
  left: CelType,
  right: CelType,
  mixed: boolean,
): CelType | undefined {
  switch (operator) {
    case '==':
    case '!=':
      return bool;
    case 'in':
      return right.kind === 'list' || right.kind === 'dyn' || isMapLike(right) ? bool : undefined;
    case '<':
    case '<=':
    case '>':
    case '>=':
      return isOrdered(left, right) || (mixed && isTimeAndText(left, right)) ? bool : undefined;
    default:
      return arithmeticType(operator, left, right, mixed);
  }
}

const ordered: ReadonlySet<string> = new Set(['bool', 'string', 'bytes', 'timestamp', 'duration']);

function isOrdered(left: CelType, right: CelType): boolean {
  if (left.kind === 'dyn') return right.kind === 'dyn' || isNumber(right) || ordered.has(right.kind);
  if (right.kind === 'dyn') return isNumber(left) || ordered.has(left.kind);
  return (isNumber(left) && isNumber(right)) || (left.kind === right.kind && ordered.has(left.kind));
}

function isTimeAndText({ kind: left }: CelType, { kind: right }: CelType): boolean {
  return (left === 'timestamp' && right === 'string') || (left === 'string' && right === 'timestamp');
}

function arithmeticType(
  operator: '+' | '-' | '*' | '/' | '%',
  left: CelType,
  right: CelType,
  mixed: boolean,
): CelType | undefined {
  if (left.kind === 'dyn' || right.kind === 'dyn') {
    const known = left.kind === 'dyn' ? right : left;
    return known.kind === 'dyn' || isOperand(operator, known) ? dyn : undefined;
  }
  if (isNumber(left) && isNumber(right)) {
    if (left.kind === right.kind) return operator === '%' && left.kind === 'double' && !mixed ? undefined : left;
    return mixed ? double : undefined;
  }
  switch (`${left.kind}${operator}${right.kind}`) {
    case 'string+string':
      return string;
    case 'bytes+bytes':
      return bytes;
    case 'list+list':
      return join(left, right).kind === 'dyn' ? { kind: 'list', element: dyn } : left;
    case 'timestamp+duration':
    case 'duration+timestamp':
    case 'timestamp-duration':
      return timestamp;
    case 'timestamp-timestamp':
    case 'duration+duration':
    case 'duration-duration':
      return duration;
    default:
      return undefined;
  }
}

/** Whether a value of the type can be an operand at all. */
function isOperand(operator: string, { kind }: CelType): boolean {
  if (kind === 'int' || kind === 'uint' || kind === 'double') return true;
  if (kind === 'timestamp' || kind === 'duration') return operator === '+' || operator === '-';
  return operator === '+' && (kind === 'string' || kind === 'bytes' || kind === 'list');
}
