import type { Verb } from '../../foundation/contracts/target.ts';

/** Methods that an operation may begin with. */
export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'HEAD', 'OPTIONS'] as const;
export type Method = (typeof methods)[number];

const repeatable: ReadonlySet<Method> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'QUERY']);

/** Whether a request that arrives twice changes nothing twice (RFC 9110, 9.2.2). */
export function isRepeatable(method: Method): boolean {
  return repeatable.has(method);
}

const reading: ReadonlySet<Method> = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY']);

/** Whether a request changes nothing (RFC 9110, 9.2.1). */
export function isReading(method: Method): boolean {
  return reading.has(method);
}

/** Method of one prepared call, and its path unless that comes with each message. */
export interface RequestLine {
  readonly method: Method;
  readonly path: string | undefined;
}

const ofVerb: Record<Verb, Method> = { read: 'GET', create: 'POST', update: 'PUT', delete: 'DELETE', call: 'GET' };
const ofWord: Readonly<Record<string, Method>> = {
  SELECT: 'GET',
  INSERT: 'POST',
  CREATE: 'POST',
  UPDATE: 'PUT',
  DELETE: 'DELETE',
};

/**
 * Method and path of a call (docs/specification/http-client.md#method-and-path): `METHOD /path` in the operation, else
 * a method there and the path in the target, else `METHOD /path` in the target, else the method that the verb
 * means.
 */
export function requestLine(verb: Verb, operation: string | undefined, target: string | undefined): RequestLine {
  const written = splitLine(operation);
  if (written) return written;
  const word = operation?.trim().toUpperCase() ?? '';
  const method = asMethod(word);
  if (method) return { method, path: target };
  const inTarget = splitLine(target);
  if (inTarget) return inTarget;
  const path = target ?? (operation?.trim().startsWith('/') ? operation.trim() : undefined);
  return { method: ofWord[word] ?? ofVerb[verb], path };
}

/** Why a written target is malformed: an unknown method, another host, or what no path may hold. */
export function checkTarget(target: string): string | undefined {
  const { method, path } = parts(target);
  if (method !== undefined && !asMethod(method)) {
    return `"${method}" is not a method; write one of ${methods.join(', ')} before the path`;
  }
  if (/^([a-z][a-z0-9+.-]*:)?\/\//i.test(path)) return 'must be a path below base_url, not an address of its own';
  if (/[\x00-\x1f\x7f]/.test(path)) return 'must not hold control characters';
  return undefined;
}

/** Why an operation that no `operation` block declares is malformed: it has neither a method nor a path. */
export function checkOperation(operation: string): string | undefined {
  const word = operation.trim();
  if (asMethod(word) || Object.hasOwn(ofWord, word.toUpperCase())) return undefined;
  if (splitLine(word) || word.startsWith('/')) return checkTarget(word);
  return `"${operation}" is neither a method and a path nor an operation of the connector`;
}

function splitLine(text: string | undefined): RequestLine | undefined {
  if (text === undefined) return undefined;
  const { method, path } = parts(text);
  const known = method === undefined ? undefined : asMethod(method);
  return known && { method: known, path };
}

function parts(text: string): { method: string | undefined; path: string } {
  const line = /^\s*([A-Za-z]+)\s+(\S.*?)\s*$/.exec(text);
  return line
    ? { method: (line[1] as string).toUpperCase(), path: line[2] as string }
    : { method: undefined, path: text };
}

function asMethod(word: string): Method | undefined {
  const upper = word.toUpperCase();
  return methods.find((method) => method === upper);
}
