import type { Writing } from '../store.ts';
import { refusedParameter } from '../style.ts';
import {
  documentHeaders,
  headerValueProblem,
  metadataProblem,
  metadataText,
  type StorageWord,
  storageHeaders,
} from './parameters.ts';

type Params = Writing['params'];
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

/** Headers that an object has when it is read, with its metadata. Throws `parameters_invalid`. */
export function documentOf(params: Params, contentType: string): Headers {
  const headers: Headers = {};
  const problem = headerValueProblem(contentType);
  if (problem !== undefined) throw refusedParameter('content_type', problem);
  headers['content-type'] = contentType;
  for (const [name, header] of Object.entries(documentHeaders)) {
    const value = sendable(params, name);
    if (value !== undefined) headers[header] = value;
  }
  const { metadata } = params;
  if (metadata === undefined || metadata === null) return headers;
  const refused = metadataProblem(metadata);
  if (refused !== undefined) throw refusedParameter('metadata', refused);
  for (const [name, value] of Object.entries(metadata)) {
    const text = metadataText(value) as string;
    if (text !== '') headers[`x-amz-meta-${name.toLowerCase()}`] = text;
  }
  return headers;
}

function sendable(params: Params, name: string): string | undefined {
  const value = params[name];
  if (value === undefined || value === null) return undefined;
  const problem = headerValueProblem(value);
  if (problem !== undefined) throw refusedParameter(name, problem);
  return value as string;
}
