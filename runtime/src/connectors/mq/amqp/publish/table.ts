import { toJson } from '@svc/protocol/cel';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { checkHeader } from './properties.ts';

/** Most bytes of the headers of a message, which must fit into one frame with its properties. */
const mostBytes = 64 * 1024;
/** Most tables and lists in each other. */
const deepest = 32;
/** Most bytes of the name of a header. */
const longestName = 255;

type Table = Record<string, unknown>;

/**
 * Headers as the client library takes them: texts, numbers, booleans, lists and tables; times as text, bytes as base64, what
 * is null is left out. Throws `value_refused` for what is too large or too deep, has a name that the protocol cannot
 * write, or a value that the broker does not take.
 */
export function tableOf(headers: unknown): Table {
  const json = toJson(headers);
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new Failure('value_refused', 'headers must be an object');
  const spent = { bytes: 0 };
  const table: Table = Object.create(null);
  for (const [name, value] of Object.entries(json))
    if (value !== null) {
      const problem = checkHeader(name, value);
      if (problem !== undefined) throw new Failure('value_refused', problem);
      checkLength(name, spent);
      table[name] = written(value, spent, 1);
    }
  return table;
}

function written(value: unknown, spent: { bytes: number }, depth: number): unknown {
  if (typeof value === 'string') spend(spent, Buffer.byteLength(value));
  else spend(spent, 8);
  if (typeof value === 'number') return numberOf(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= deepest) throw new Failure('value_refused', `headers have more than ${deepest} levels`);
  if (Array.isArray(value)) return value.map((each) => written(each, spent, depth + 1));
  const table: Table = Object.create(null);
  for (const [name, each] of Object.entries(value)) {
    // The client library takes such a table for the name of a type.
    if (name === '!') throw new Failure('value_refused', 'a table in headers cannot have the name "!"');
    checkLength(name, spent);
    table[name] = written(each, spent, depth + 1);
  }
  return table;
}

/** The client library cannot write every number by its value alone: large fractions, and whole ones below 64 bits. */
function numberOf(value: number): unknown {
  return Number.isInteger(value) && value >= -(2 ** 63) ? value : { '!': 'double', value };
}

function checkLength(name: string, spent: { bytes: number }): void {
  const length = Buffer.byteLength(name);
  if (length > longestName) throw new Failure('value_refused', `the name of a header has at most ${longestName} bytes`);
  spend(spent, length);
}

function spend(spent: { bytes: number }, bytes: number): void {
  spent.bytes += bytes;
  if (spent.bytes > mostBytes) throw new Failure('value_refused', `headers have at most ${mostBytes} bytes`);
}
