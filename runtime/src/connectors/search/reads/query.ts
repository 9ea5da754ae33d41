import type { ArgumentSource } from '@svc/protocol/schema';
import { Failure } from '../../../foundation/errors/failure.ts';
import { idText } from '../document-id.ts';
import { asData, fill, type Template, templateOf, templateOfConstants } from './template.ts';

type Fields = Readonly<Record<string, unknown>>;
/** A part of the query language. */
export type Query = Readonly<Record<string, unknown>>;

/** Comparisons that the configuration may write in a filter, instead of a value. */
const comparisons: readonly string[] = ['gt', 'gte', 'lt', 'lte'];

/** What the configuration writes of `query_filter`, by the field, where it is a comparison. */
export type Comparisons = ReadonlyMap<string, Template>;

/** The comparisons of a filter. A text says what is wrong with one. */
export function comparisonsIn(filter: ArgumentSource | undefined): Comparisons | string {
  const found = new Map<string, Template>();
  for (const [name, item] of entriesOf(filter)) {
    if (item.kind !== 'map') continue;
    const other = item.entries.find(([key]) => !comparisons.includes(key));
    if (other !== undefined || item.entries.length === 0)
      return `query_filter.${name} is an object of ${comparisons.join(', ')}; other queries are written in body`;
    found.set(name, item);
  }
  return found;
}

function entriesOf(filter: ArgumentSource | undefined): readonly (readonly [string, Template])[] {
  if (filter === undefined) return [];
  const template = filter.kind === 'constant' ? templateOfConstants(filter.value) : templateOf(filter);
  return template.kind === 'map' ? template.entries : [];
}

/**
 * The query that finds what equals all filters: a list is any of its values, null a missing field, `id` and `_id` the id
 * of the document, which is never null. Everything without filters. Values that the configuration does not write as comparison are data.
 */
export function queryOf(filters: Fields | undefined, compared: Comparisons): Query {
  const must: Query[] = [];
  const absent: Query[] = [];
  for (const name in filters) {
    const value = filters[name];
    if (value === undefined) continue;
    const comparison = compared.get(name);
    if (comparison !== undefined)
      must.push({ range: { [name]: fill(comparison, value, parameterless, `query_filter.${name}`) } });
    else if (value === null && !isId(name)) absent.push({ exists: { field: name } });
    else must.push(conditionOf(name, asData(value, name)));
  }
  if (must.length === 0 && absent.length === 0) return { match_all: {} };
  return { bool: { must, ...(absent.length > 0 && { must_not: absent }) } };
}

/** A field `id` is text that the engine takes apart into words, of which none is the whole. */
function isId(name: string): boolean {
  return name === 'id' || name === '_id';
}

function conditionOf(name: string, value: unknown): Query {
  if (isId(name)) return { ids: { values: [value].flat().map(idText) } };
  return Array.isArray(value) ? { terms: { [name]: value } } : { term: { [name]: value } };
}

/** A text `:name` of a filter was resolved before: it is the value that was given. */
function parameterless(name: string): never {
  throw new Failure('parameters_invalid', `there is no field "${name}"`);
}
