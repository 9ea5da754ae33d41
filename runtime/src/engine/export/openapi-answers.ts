import type { ConnectorDeclaration } from '@svc/protocol/model';
import type { Endpoint } from './endpoints.ts';
import { type Json, type JsonObject, mediaTypes } from './json-schema.ts';

/** What a connector says of all its answers; absent where its spec has no such word. */
interface AnswerSettings {
  readonly answer_formats?: readonly (keyof typeof mediaTypes)[];
  readonly etag?: boolean;
  readonly links?: boolean;
  readonly errors?: string;
}

function settingsOf({ values }: ConnectorDeclaration): AnswerSettings {
  return values as unknown as AnswerSettings;
}

/** Whether errors are problem details. */
export function writesProblems(connector: ConnectorDeclaration): boolean {
  return settingsOf(connector).errors === 'problem';
}

/** Media types that callers may choose beside the usual one. */
export function chosenTypes(connector: ConnectorDeclaration): readonly string[] {
  return (settingsOf(connector).answer_formats ?? []).map((format) => mediaTypes[format]);
}

/** Whether answers have a tag, and conditions are answered. */
export function hasVersions(connector: ConnectorDeclaration): boolean {
  return settingsOf(connector).etag === true;
}

/** Parameters in headers that the connector reads for every flow. */
export function conditionParameters({ connector, method }: Endpoint): readonly JsonObject[] {
  if (!hasVersions(connector)) return [];
  const names = method === 'GET' || method === 'HEAD' ? ['If-None-Match'] : replacing.has(method) ? ['If-Match'] : [];
  return names.map((name) => ({ name, in: 'header', required: false, schema: { type: 'string' } }));
}

const replacing: ReadonlySet<string> = new Set(['PUT', 'PATCH', 'DELETE']);

/** Answers that the connector gives by itself, by status. */
export function conditionAnswers({ connector, method }: Endpoint): Readonly<Record<string, Json>> {
  const isRead = method === 'GET' || method === 'HEAD';
  const isVersioned = hasVersions(connector) && (isRead || replacing.has(method));
  return {
    ...(isVersioned && isRead ? { 304: { description: 'Not Modified' } } : {}),
    ...(chosenTypes(connector).length > 0 ? { 406: { $ref: '#/components/responses/NotAcceptable' } } : {}),
    ...(isVersioned ? { 412: { $ref: '#/components/responses/PreconditionFailed' } } : {}),
  };
}

/** Headers of an answer with this status. */
export function answerHeaders({ connector, method }: Endpoint, status: number, isList: boolean): JsonObject {
  if (status !== 200 || (method !== 'GET' && method !== 'HEAD')) return {};
  const headers: Record<string, Json> = {};
  if (hasVersions(connector)) headers['ETag'] = text('The version of what is answered.');
  if (settingsOf(connector).links === true && isList)
    headers['Link'] = text('The pages beside this one (RFC 8288), of lists that are read with `limit` and `offset`.');
  return Object.keys(headers).length === 0 ? {} : { headers };
}

function text(description: string): JsonObject {
  return { description, schema: { type: 'string' } };
}
