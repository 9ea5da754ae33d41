import type { CallResult } from '../../foundation/contracts/call-result.ts';
import type { CallDescription, CallRequest } from '../../foundation/contracts/target.ts';
import type { EvaluatedWords, FixedWords } from '../../foundation/contracts/words.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import type { HttpAnswer } from '../../platform/net/request.ts';
import { addressRow, type RowKeys } from '../core/row-address.ts';
import type { Action } from './actions.ts';
import type { Asking, SearchClient } from './client/client.ts';
import { type Request, refusedBy } from './client/failure.ts';
import { idText } from './document-id.ts';
import type { Place } from './place.ts';
import { fill, isVariable, type Lookup } from './reads/template.ts';
import type { fixedWords, search } from './spec.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The description of a call that names a search engine. */
export type SearchDescription = CallDescription<FixedWords<typeof fixedWords>>;
/** The request of one message, with the words that are evaluated for it. */
export type SearchRequest = CallRequest<EvaluatedWords<(typeof search)['words']['to'] & typeof fixedWords>>;

/** What all calls of one connector share. */
export interface Limits {
  /** `refresh` as the server spells it; undefined leaves it to the index. */
  readonly refresh: string | undefined;
  /** `from` and `size` together. */
  readonly maxHits: number;
  /** Indices that a message may name. */
  readonly indices: readonly string[] | undefined;
}

/** One call of one message: what it asks for, and the client that asks. */
export interface Call {
  readonly client: SearchClient;
  readonly action: Action;
  /** Index or indices as the path has them. */
  readonly index: string;
  readonly request: SearchRequest;
  readonly asking: Asking;
  readonly place: PreparedPlace;
  readonly limits: Limits;
}

/** What is decided for one place of the configuration. */
export interface PreparedPlace extends Place {
  /** Where it is written, for messages. */
  readonly where: string;
  readonly fields: readonly string[] | undefined;
  readonly script: string | undefined;
  readonly exact: boolean;
  readonly parameters: readonly string[];
}

/** Carries out one call. */
export type Perform = (call: Call) => Promise<CallResult>;

/** The written body of a message; undefined where the configuration writes none. */
export function bodyOf({ place, request }: Call): Record<string, unknown> | undefined {
  const { body, isNamed } = place;
  if (body === undefined) return undefined;
  const given = isNamed ? undefined : (request.words?.body ?? request.payload);
  return fill(body, given, lookupIn(request)) as Record<string, unknown>;
}

/** The script that the configuration writes, with the parameters of a message. */
export function scriptOf({ place, request }: Call): unknown {
  if (place.script === undefined) return undefined;
  return { source: place.script, lang: 'painless', params: request.words?.script_params ?? {} };
}

/** Filters without the parameters of the operation, which its body takes. */
export function filtersOf(call: Call): Fields | undefined {
  const { place } = call;
  const { filters } = addressOf(call);
  if (filters === undefined || place.parameters.length === 0 || !place.isNamed) return filters;
  return Object.fromEntries(Object.entries(filters).filter(([name]) => !place.parameters.includes(name)));
}

/** Parameters win over the payload, and the payload over the filters. */
export function lookupIn({ params, payload, filters }: CallRequest): Lookup {
  const places = [Array.isArray(params) ? undefined : (params as Fields | undefined), payload, filters];
  return (name) =>
    places.find((each) => each !== undefined && Object.hasOwn(each, name) && each[name] !== undefined)?.[name];
}

/**
 * The id of a document that is written: of the parameters, else of the document itself. Undefined when both lack it, and the
 * server gives one.
 */
export function ownId(call: Call): string | undefined {
  return idIn(paramsOf(call.request)) ?? idIn(documentIn(call));
}

/** The id of the document that a call finds: what addresses it wins over what the document says. Throws `filter_missing`. */
export function requiredId(call: Call): string {
  const { request } = call;
  const id =
    idIn(addressOf(call).filters) ?? idIn(paramsOf(request)) ?? idIn(request.words?.body as Fields | undefined);
  if (id !== undefined) return id;
  throw new Failure('filter_missing', `${call.place.where}: ${call.action} needs the id of a document: send \`id\``);
}

/** What is written: the body of a destination, else the payload. */
export function documentIn(call: Call): Fields | undefined {
  return (call.request.words?.body as Fields | undefined) ?? addressOf(call).payload;
}

const documentKeys: RowKeys = { keyOf: (name) => (name === 'id' || name === '_id' ? '_id' : undefined) };

/** The document that an update or delete is for, and what is written into it; of other calls what they say. */
export function addressOf({ request }: Pick<Call, 'request'>): Pick<CallRequest, 'filters' | 'payload'> {
  return addressRow(request, documentKeys);
}

/** A document may have a field `id`; where it lacks one, `_id` names it. */
function idIn(fields: Fields | undefined): string | undefined {
  return fields && (idText(fields['id']) ?? idText(fields['_id']));
}

function paramsOf({ params }: Pick<CallRequest, 'params'>): Fields | undefined {
  return Array.isArray(params) ? undefined : (params as Fields | undefined);
}

/** How often the server repeats an update that another one overtook: fields that are set are set again. */
export const repeatsOnConflict = '3';

/** A path below the index; `parts` are escaped, `parameters` without a value are left out. */
export function pathOf(
  index: string,
  parts: readonly string[],
  parameters: Readonly<Record<string, string | undefined>> = {},
) {
  const query = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  const path = [index, ...parts].map(segment).join('/');
  return `/${path}${query.length > 0 ? `?${query.join('&')}` : ''}`;
}

/** One segment; several indices are separated by commas. */
function segment(text: string): string {
  return encodeURIComponent(text).replaceAll('%2C', ',');
}

/** Refuses an answer with an error status, but those in `expected`. */
export function accepted(call: Call, answer: HttpAnswer, ...expected: readonly number[]): HttpAnswer {
  if (answer.status < 400 || expected.includes(answer.status)) return answer;
  throw refusedAnswer(call, answer);
}

/** The failure of a call that the server refused. */
export function refusedAnswer(call: Call, answer: HttpAnswer): Failure {
  return refusedBy(answer, sentBy(call), call.client.clock.now());
}

/** What a call sends of its message. */
export function sentBy({ action, place, request }: Call): Request {
  if (documentActions.includes(action)) return { what: action, sent: 'document' };
  const { filters, payload, params } = request;
  const given = [filters, paramsOf({ params }), payload];
  const isGiven =
    place.body === undefined
      ? given.some((fields) => Object.values(fields ?? {}).some((value) => value !== undefined))
      : isVariable(place.body);
  return { what: action, sent: isGiven ? 'query' : undefined, nameOf: (value) => nameIn(given, value) };
}

/** Actions that write what the message says into documents. */
const documentActions: readonly Action[] = ['index', 'create', 'update', 'bulk'];

/** The field whose value, or one of whose values, is a text. */
function nameIn(given: readonly (Fields | undefined)[], text: string): string | undefined {
  for (const fields of given)
    for (const [name, value] of Object.entries(fields ?? {}))
      if ([value].flat().some((one) => typeof one !== 'object' && String(one) === text)) return name;
  return undefined;
}
