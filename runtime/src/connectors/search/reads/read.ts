import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { exactJson } from '../../../platform/formats/exact-json.ts';
import { objectIn, refusePartial, rowOf, rowsOf } from '../client/answer.ts';
import type { Ask } from '../client/client.ts';
import { isIndexMissing, meetsNull } from '../client/failure.ts';
import { accepted, bodyOf, type Call, filtersOf, lookupIn, pathOf, refusedAnswer, requiredId } from '../request.ts';
import { queryOf } from './query.ts';

type Body = Record<string, unknown>;

/** Parameters of a named operation that choose the page where it has no body. */
const pageParameters: readonly string[] = ['limit', 'offset', 'sort'];
const sortable = /^-?[A-Za-z_][\w.]*$/;

/** Documents with their ids and scores. */
export async function search(call: Call): Promise<CallResult> {
  const answer = await ask(call, '_search', searchBody(call));
  return { rows: rowsOf(answer, call.action), isList: true };
}

/**
 * The documents of a search with how many there are, as one row. The server counts all of them, or as far as
 * `track_total_hits` of the body says; `total_relation` is then `gte` where there are more.
 */
export async function hits(call: Call): Promise<CallResult> {
  const answer = await ask(call, '_search', { track_total_hits: true, ...searchBody(call) });
  const rows = rowsOf(answer, call.action);
  const { aggregations } = answer;
  return { rows: [{ hits: rows, ...totalOf(answer, call), ...(aggregations !== undefined && { aggregations }) }] };
}

/** Servers before version 7 answer a number, later ones an object, and none where the body asks for no total. */
function totalOf(answer: Readonly<Body>, { place }: Call): Body {
  const said = (answer['hits'] as Body)['total'];
  const { value, relation } = typeof said === 'object' && said !== null ? (said as Body) : { value: said };
  if (typeof value !== 'number' && typeof value !== 'bigint') return { total: null };
  return { total: place.exact ? BigInt(value) : value, total_relation: relation ?? 'eq' };
}

/** The aggregations of a search, as one row. */
export async function aggregate(call: Call): Promise<CallResult> {
  const answer = await ask(call, '_search', { ...searchBody(call), size: 0 });
  refusePartial(answer, call.action);
  return { rows: [{ aggregations: answer['aggregations'] ?? {} }] };
}

/** How many documents there are, all of them counted. */
export async function count(call: Call): Promise<CallResult> {
  const body = bodyOf(call);
  // A body that is the query itself is taken as well.
  const query = body === undefined ? queryOf(ownFilters(call), call.place.comparisons) : (body['query'] ?? body);
  const answer = await ask(call, '_count', { query });
  refusePartial(answer, call.action);
  const found = answer['count'];
  if (typeof found !== 'number' && typeof found !== 'bigint')
    throw new Failure('connector_failed', `${call.action}: the answer has no count`);
  return { rows: [{ count: call.place.exact ? BigInt(found) : found }] };
}

/** One document by its id; no row when it is missing. */
export async function get(call: Call): Promise<CallResult> {
  const { client, asking, place, index } = call;
  const path = pathOf(index, ['_doc', requiredId(call)], { _source_includes: place.fields?.join(',') });
  const got = await client.send({ method: 'GET', path, repeatable: true, changes: false }, asking);
  accepted(call, got, 404);
  if (got.status === 404 && (isIndexMissing(got.body) || got.body.length === 0)) throw refusedAnswer(call, got);
  const answer = await objectIn(got, call.action);
  if (answer['found'] === false) return { rows: [] };
  if (got.status === 404) throw refusedAnswer(call, got);
  return { rows: [rowOf(answer)] };
}

async function ask(call: Call, endpoint: '_search' | '_count', body: Body) {
  const { client, asking, index, action } = call;
  const parameters = endpoint === '_search' ? { allow_partial_search_results: 'false' } : {};
  const request: Ask = {
    method: 'POST',
    path: pathOf(index, [endpoint], parameters),
    body: exactJson(body),
    repeatable: true,
    changes: false,
  };
  const answer = await client.send(request, asking);
  // The engine fails over a null in the order of numbers and dates, where no row is given one.
  if (meetsNull(answer) && [body['search_after']].flat().includes(null))
    throw refusedField('search_after', 'it has a null where no row has one');
  return objectIn(accepted(call, answer), action);
}

function searchBody(call: Call): Body {
  const { place, limits } = call;
  const written = bodyOf(call);
  const body: Body = written ?? { query: queryOf(ownFilters(call), place.comparisons), ...pageOf(call) };
  if (place.fields !== undefined && body['_source'] === undefined) body['_source'] = place.fields;
  refuseFar(body, limits.maxHits);
  continueAfter(body);
  refuseTotal(body);
  return body;
}

/** The first page is after nothing. What a message gives must be the place of a row in the order that is written. */
function continueAfter(body: Body): void {
  const { search_after: after, sort } = body;
  if (after === undefined) return;
  if (after === null || after === '' || (Array.isArray(after) && after.length === 0)) {
    delete body['search_after'];
    return;
  }
  const keys = Array.isArray(sort) ? sort.length : 1;
  const isPlace = Array.isArray(after) && after.every((value) => value === null || typeof value !== 'object');
  if (isPlace && after.length === keys) return;
  throw refusedField('search_after', `it must be a list of ${keys}: the _sort of the last row`);
}

/** Filters without those parameters that choose the page. */
function ownFilters(call: Call): Body | undefined {
  const { filters } = call.request;
  if (filters === undefined || call.place.parameters.length === 0) return filtersOf(call);
  const isPage = (name: string) => pageParameters.includes(name) && call.place.parameters.includes(name);
  return Object.fromEntries(Object.entries(filters).filter(([name]) => !isPage(name)));
}

function pageOf({ place, request }: Call): Body {
  const find = lookupIn(request);
  const given = (name: string) => (place.parameters.includes(name) ? find(name) : undefined);
  const page: Body = {};
  if (given('limit') !== undefined) page['size'] = given('limit');
  if (given('offset') !== undefined) page['from'] = given('offset');
  const sort = given('sort');
  if (sort !== undefined && sort !== null && sort !== '') page['sort'] = String(sort).split(',').map(orderOf);
  return page;
}

/** `price`, or `-price` for the largest first. */
function orderOf(word: string): Body {
  if (!sortable.test(word)) throw refusedField('sort', 'it must name fields, with - for the largest first');
  return word.startsWith('-') ? { [word.slice(1)]: { order: 'desc' } } : { [word]: { order: 'asc' } };
}

/** Size and position are whole numbers, and not beyond what the server may be asked for. */
function refuseFar(body: Body, most: number): void {
  const [size, from] = [wholeNumber(body, 'size') ?? 10, wholeNumber(body, 'from') ?? 0];
  if (size + from <= most) return;
  throw refusedField('size', `from and size together may be ${most} (max_hits); read further with search_after`);
}

function wholeNumber(body: Body, name: string): number | undefined {
  const value = body[name];
  if (value === undefined) return undefined;
  const number = typeof value === 'boolean' || value === null ? Number.NaN : Number(value);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw refusedField(name, 'it must be a whole number');
}

/** How far documents are counted. */
function refuseTotal(body: Body): void {
  const asked = body['track_total_hits'];
  if (typeof asked !== 'boolean' && asked !== 'true' && asked !== 'false') wholeNumber(body, 'track_total_hits');
}

function refusedField(field: string, problem: string): Failure {
  const message = `${field}: ${problem}`;
  return new Failure('value_refused', message, { fields: [{ field, code: 'range', message }] });
}
