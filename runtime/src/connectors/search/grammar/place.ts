/** Parts of the query language that are in themselves, or in each other. */
export type Part =
  | 'query'
  | 'intervals'
  | 'hits'
  | 'innerHits'
  | 'sort'
  | 'nestedSort'
  | 'aggregations'
  | 'retriever'
  | 'tree';

/**
 * A place of the query language: what may be there, and what the keys below it are. It follows from the way that leads
 * to it, never from the name of a key alone: `match.script` is a field, `script.script` is code.
 */
export interface Place {
  /** A text, a number or a list of them that a message brings may be here. */
  readonly value?: true | undefined;
  /** What is known below it, by key. */
  readonly keys?: Readonly<Record<string, Place>> | undefined;
  /** What is below every other key, such as the name of a field. Absent: nothing that is known. */
  readonly rest?: Place | undefined;
  /** What is in a list here. Absent: the same as without one. */
  readonly items?: Place | undefined;
  /** What a value of a message would be here. */
  readonly wouldBe?: string | undefined;
  /** All else is as in this part of the language. */
  readonly like?: Part | undefined;
}

/** A value of a message. */
export const value: Place = { value: true };

/** Maps and lists that the configuration writes, with values of a message in them: data, which the server does not interpret. */
export const data: Place = { rest: { like: 'tree' } };

/** Source text that the server runs, or the name of such a text. */
export const code: Place = { wouldBe: 'code; give values in params' };

/** An index, or what chooses documents of another one. */
export const lookup: Place = { wouldBe: 'the name of an index, or a look-up in one' };

/** A query: one clause, or several in a list. */
export const query: Place = { like: 'query' };

/** Keys that each take a value. */
export function values(...names: readonly string[]): Readonly<Record<string, Place>> {
  return Object.fromEntries(names.map((name) => [name, value]));
}

/** A script: what it does is written, its parameters are data. */
export const script: Place = { ...code, keys: { params: data } };

/** A point on the earth, or in a plane. */
export const point: Place = { value: true, keys: values('lat', 'lon', 'x', 'y', 'geohash', 'type', 'coordinates') };

/** A rectangle of points. */
export const box: Place = {
  keys: {
    ...values('top', 'left', 'bottom', 'right', 'wkt'),
    top_left: point,
    top_right: point,
    bottom_left: point,
    bottom_right: point,
  },
};
