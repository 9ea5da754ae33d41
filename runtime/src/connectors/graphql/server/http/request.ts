import { Failure } from '../../../../foundation/errors/failure.ts';
import { decodeJson } from '../../../../platform/formats/json.ts';

/** What a caller asks. */
export interface GraphqlRequest {
  /** The text of the document; undefined: `persisted` names it. */
  readonly query: string | undefined;
  /** The document that is meant, where the request names one. */
  readonly persisted: PersistedName | undefined;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** How a request names a document. */
export type PersistedName =
  /** `documentId`, as GraphQL over HTTP has it. */
  | { readonly id: string }
  /** `extensions.persistedQuery`, as Apollo has it: the SHA-256 of the text. */
  | { readonly hash: string };

type Fields = Readonly<Record<string, unknown>>;

/** Reads a decoded body. Throws `body_undecodable`. */
export function requestOf(body: unknown): GraphqlRequest {
  if (Array.isArray(body)) throw malformed('several requests in one are not taken: send each by itself');
  if (!isMap(body)) throw malformed('the request must be an object with the field "query"');
  const query = textOf(body, 'query');
  const operationName = textOf(body, 'operationName');
  const persisted = persistedOf(textOf(body, 'documentId'), mapOf(body, 'extensions'));
  if (query === undefined && persisted === undefined) throw malformed('"query" must be a text');
  return {
    query,
    persisted,
    operationName: operationName === '' ? undefined : operationName,
    variables: mapOf(body, 'variables') ?? {},
  };
}

/** Reads the parameters of a GET. Throws `body_undecodable`. */
export function requestOfQuery(query: Readonly<Record<string, string | string[]>>): GraphqlRequest {
  const body: Record<string, unknown> = {};
  for (const name of ['query', 'operationName', 'documentId', 'variables', 'extensions']) {
    const value = query[name];
    if (value === undefined) continue;
    if (Array.isArray(value)) throw malformed(`"${name}" is there more than once`);
    body[name] = name === 'variables' || name === 'extensions' ? jsonOf(name, value) : value;
  }
  return requestOf(body);
}

function jsonOf(name: string, text: string): unknown {
  if (text === '') return undefined;
  try {
    return decodeJson(text);
  } catch (cause) {
    throw new Failure('body_undecodable', `"${name}" must be an object in JSON`, { cause });
  }
}

/** Undefined and null are the same: nothing. */
function textOf(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw malformed(`"${name}" must be a text`);
  return value;
}

function mapOf(fields: Fields, name: string): Fields | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (!isMap(value)) throw malformed(`"${name}" must be an object`);
  return value;
}

function persistedOf(id: string | undefined, extensions: Fields | undefined): PersistedName | undefined {
  if (id !== undefined) return { id };
  const written = extensions && Object.hasOwn(extensions, 'persistedQuery') ? extensions['persistedQuery'] : undefined;
  if (written === undefined || written === null) return undefined;
  if (!isMap(written) || Number(written['version']) !== 1)
    throw malformed('"extensions.persistedQuery" must be an object with "version" 1 and "sha256Hash"');
  const { sha256Hash } = written;
  if (typeof sha256Hash !== 'string' || !/^[0-9a-f]{64}$/.test(sha256Hash))
    throw malformed('"extensions.persistedQuery.sha256Hash" must be a SHA-256 in hexadecimal digits');
  return { hash: sha256Hash };
}

function isMap(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function malformed(message: string): Failure {
  return new Failure('body_undecodable', message);
}
