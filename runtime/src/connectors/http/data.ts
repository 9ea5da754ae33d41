import type { CallRequest, ParameterPlace, Verb } from '../../foundation/contracts/target.ts';

export type Data = Readonly<Record<string, unknown>>;

/**
 * What a message sends (`data`) and what path parameters are taken from (`values`). A call that has a body sends its
 * payload in it, else its parameters; one without a body (`bodiless`) sends both. Everything else sends filters, parameters
 * and payload together, the later winning.
 */
export function dataOf(
  verb: Verb,
  request: CallRequest,
  bodiless: boolean,
): { data: Data | undefined; values: Data | undefined } {
  const params = Array.isArray(request.params) ? undefined : (request.params as Data | undefined);
  if (verb === 'call') {
    const values = merged(request.payload, params);
    return { data: bodiless ? values : (filled(request.payload) ?? filled(params)), values };
  }
  const data = merged(merged(request.filters, params), request.payload);
  return { data, values: merged(request.address, data) };
}

/** The parts of a message's data that declared parameters take elsewhere than the rest goes. */
export interface Placed {
  readonly rest: Data | undefined;
  readonly query: Data | undefined;
  readonly body: Data | undefined;
  /** By the names of headers; values are texts. */
  readonly headers: Readonly<Record<string, string>> | undefined;
}

/** The header that a parameter goes into: many servers drop names with `_`. */
export function headerOf(parameter: string): string {
  return parameter.replaceAll('_', '-');
}

/** Takes parameters out of the data and puts them where they are declared to go. A structure is JSON in a header. */
export function placeData(
  data: Data | undefined,
  places: ReadonlyMap<string, ParameterPlace>,
  json: (value: unknown) => string,
): Placed {
  const into = { rest: {}, query: {}, body: {} } as Record<'rest' | 'query' | 'body', Record<string, unknown>>;
  const headers: Record<string, string> = Object.create(null);
  for (const name in data) {
    const place = places.get(name);
    const value = data[name];
    if (place !== 'header') define(into[place === 'query' || place === 'body' ? place : 'rest'], name, value);
    else if (value !== undefined && value !== null)
      headers[headerOf(name)] = typeof value === 'object' ? json(value) : String(value);
  }
  return {
    rest: filled(into.rest),
    query: filled(into.query),
    body: filled(into.body),
    headers: filled(headers) as Placed['headers'],
  };
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

export function merged(under: Data | undefined, over: Data | undefined): Data | undefined {
  if (filled(under) === undefined) return filled(over);
  if (filled(over) === undefined) return under;
  const both: Record<string, unknown> = {};
  for (const name in under) define(both, name, under[name]);
  for (const name in over) define(both, name, over[name]);
  return both;
}

/** Plain objects are written several times faster than those without prototype; only this name must not reach it. */
function define(into: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(into, name, { value, enumerable: true, configurable: true, writable: true });
  else into[name] = value;
}
