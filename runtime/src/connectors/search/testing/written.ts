import type { ArgumentSource } from '@svc/protocol/schema';

/** Marks an expression in what a test writes: its value comes with each message. */
export const data = Symbol('data');

const origin = { file: 'test.hcl', range: { start: 0, end: 0 } } as ArgumentSource['origin'];

/** What the decoder makes of a value that the configuration writes. */
export function written(value: unknown): ArgumentSource {
  if (value === data) return { kind: 'cel', source: 'input.value', origin, escaped: false, reads: [] };
  if (Array.isArray(value)) return { kind: 'list', items: value.map(written), origin };
  if (typeof value !== 'object' || value === null) return { kind: 'constant', value, origin };
  return { kind: 'map', entries: Object.entries(value).map(([name, item]) => [name, written(item)]), origin };
}

/** The same with `given` in the place of the data. */
export function withData(value: unknown, given: unknown): unknown {
  if (value === data) return given;
  if (Array.isArray(value)) return value.map((item) => withData(item, given));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withData(item, given)]));
}
