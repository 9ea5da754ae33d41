import { Failure } from '../../../foundation/errors/failure.ts';
import type { Entry, Writing } from '../store.ts';
import { refusedParameter } from '../style.ts';
import { unquoted } from './answers.ts';
import {
  type ConditionWord,
  conditionHeaders,
  conditionProblem,
  documentHeaders,
  headerValueProblem,
  metadataProblem,
  metadataText,
  type StorageWord,
  storageHeaders,
} from './parameters.ts';

type Params = Writing['params'];
const conditionWords = Object.keys(conditionHeaders) as readonly ConditionWord[];
export type Headers = Record<string, string>;

/** How objects are stored where a call does not say it. */
export type StorageDefaults = Readonly<Partial<Record<StorageWord, string>>>;

/** Headers of how an object is stored: those of the call, else those of the connector. Throws `parameters_invalid`. */
export function storageOf(params: Params, defaults: StorageDefaults): Headers {
  const headers: Headers = {};
  for (const [name, header] of Object.entries(storageHeaders)) {
    const value = sendable(params, name) ?? defaults[name as StorageWord];
    if (value !== undefined) headers[header] = value;
  }
  return headers;
}

/** What a copy says of its object: headers that take the place of those of the source. */
export interface ChangedDocument {
  readonly headers: Headers;
  /** Its metadata takes the place of that of the source. */
  readonly hasMetadata: boolean;
}

/** What the parameters of a copy say; undefined where they change nothing. Throws `parameters_invalid`. */
export function changedDocument(params: Params): ChangedDocument | undefined {
  const headers = documentOf(params);
  const hasMetadata = params['metadata'] !== undefined && params['metadata'] !== null;
  return hasMetadata || Object.keys(headers).length > 0 ? { headers, hasMetadata } : undefined;
}

/** The condition under which an object is written, or removed. Throws `parameters_invalid`, and `value_refused`. */
export function conditionOf(params: Params, known: readonly ConditionWord[] = conditionWords): Headers | undefined {
  const given = conditionWords.filter((name) => Object.hasOwn(params, name));
  for (const name of given) required(params, name);
  const [name] = given;
  if (name === undefined) return undefined;
  if (!known.includes(name)) throw refusedParameter(name, 'does not belong to this operation');
  if (given.length > 1) throw refusedParameter(name, 'cannot be beside if_none_match');
  const problem = conditionProblem(name, params[name]);
  if (problem !== undefined) throw refusedParameter(name, problem);
  const value = params[name] as string;
  return { [conditionHeaders[name]]: name === 'if_match' && !value.startsWith('"') ? `"${value}"` : value };
}

/** Whether a condition holds for what a store says of an object; undefined: it is absent. */
export function holds(condition: Headers, found: Entry | undefined): boolean {
  const { 'if-match': expected } = condition;
  if (expected === undefined) return found === undefined;
  return found !== undefined && unquoted(found.etag) === unquoted(expected);
}

/** The failure of what is not done since its condition does not hold. */
export function conditionFailed(path: string): Failure {
  return new Failure('precondition_failed', `"${path}" is left as it is: the condition does not hold`);
}

/** Headers that an object has when it is read, with its metadata. Throws `parameters_invalid`. */
export function documentOf(params: Params): Headers {
  const headers: Headers = {};
  for (const [name, header] of Object.entries(documentHeaders)) {
    const value = sendable(params, name);
    if (value !== undefined) headers[header] = value;
  }
  const { metadata } = params;
  if (metadata === undefined || metadata === null) return headers;
  const refused = metadataProblem(metadata);
  if (refused !== undefined) throw refusedParameter('metadata', refused);
  for (const [name, value] of Object.entries(metadata))
    headers[`x-amz-meta-${name.toLowerCase()}`] = metadataText(value) as string;
  return headers;
}

/**
 * A restriction that a call writes; undefined where it writes none. Throws `value_refused` for one without a value, which
 * would restrict nothing.
 */
export function required(params: Params, name: string): unknown {
  if (!Object.hasOwn(params, name)) return undefined;
  const value = params[name];
  if (value !== undefined && value !== null) return value;
  const message = `the parameter "${name}" is written, and has no value`;
  throw new Failure('value_refused', message, { fields: [{ field: name, code: 'required', message }] });
}

function sendable(params: Params, name: string): string | undefined {
  const value = params[name];
  if (value === undefined || value === null) return undefined;
  const problem = headerValueProblem(value);
  if (problem !== undefined) throw refusedParameter(name, problem);
  return value as string;
}
