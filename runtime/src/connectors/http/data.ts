import type { CallRequest, Verb } from '../contract.ts';

export type Data = Readonly<Record<string, unknown>>;

/**
 * What a message sends (`data`) and what path parameters are taken from (`values`). A call sends its payload, else its
 * parameters; everything else sends filters, parameters and payload together, the later winning.
 */
export function dataOf(verb: Verb, request: CallRequest): { data: Data | undefined; values: Data | undefined } {
  const params = Array.isArray(request.params) ? undefined : (request.params as Data | undefined);
  if (verb === 'call') {
    const data = filled(request.payload) ?? filled(params);
    return { data, values: merged(request.payload, params) };
  }
  const data = merged(merged(request.filters, params), request.payload);
  return { data, values: data };
}

/** `data` without what went into the path; undefined when nothing is left. */
export function divide(names: readonly string[], values: Data | undefined, data: Data | undefined): Data | undefined {
  if (names.length === 0 || data === undefined || values === undefined) return data;
  const rest: Record<string, unknown> = {};
  for (const name in data) {
    const inPath = names.includes(name) && Object.hasOwn(values, name) && values[name] !== null;
    if (!inPath) define(rest, name, data[name]);
  }
  return filled(rest);
}

function filled(data: Data | undefined): Data | undefined {
  if (data === undefined) return undefined;
  for (const _ in data) return data;
  return undefined;
}

function merged(under: Data | undefined, over: Data | undefined): Data | undefined {
  if (filled(under) === undefined) return filled(over);
  if (filled(over) === undefined) return under;
  const both: Record<string, unknown> = {};
  for (const name in under) define(both, name, under[name]);
  for (const name in over) define(both, name, over[name]);
  return both;
}

/** Plain objects are written several times faster than those without prototype; this name alone must not reach it. */
function define(into: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(into, name, { value, enumerable: true, configurable: true, writable: true });
  else into[name] = value;
}
