import type { Content } from '../../../../foundation/contracts/content.ts';
import type { HttpExchange } from '../../../../foundation/contracts/http.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { Spool } from '../../../../platform/content/spool.ts';
import { decodeBody } from '../../../../platform/formats/decode.ts';
import { json } from '../../../../platform/formats/registry.ts';
import { type MultipartForm, readMultipart } from '../../../../platform/http/body/multipart.ts';

/** A request with files. */
export interface UploadedRequest {
  /** The decoded request, its files where their variables have them. */
  readonly body: unknown;
  /** Keeps the files. The caller that takes the request closes it. */
  readonly kept: Pick<Spool, 'close'>;
}

/** Headers that a page of another origin cannot send without asking first; one of them has to be there. */
const preflightHeaders = ['graphql-require-preflight', 'apollo-require-preflight'] as const;

/**
 * Reads a form of at most `limit` bytes by the GraphQL multipart request specification: the request in `operations`,
 * where its files belong in `map`, and the files. Rejects with a Failure, and keeps nothing then.
 */
export async function readUpload(exchange: HttpExchange, limit: number): Promise<UploadedRequest> {
  if (!preflightHeaders.some((name) => (exchange.request.headers[name] ?? '') !== ''))
    throw new Failure(
      'value_refused',
      'a form is taken with the header GraphQL-Require-Preflight or Apollo-Require-Preflight alone, since any page can send it without',
    );
  const form = await readMultipart(exchange, limit);
  try {
    const body = await jsonIn(form, 'operations');
    place(form.files, await jsonIn(form, 'map'), body);
    return { body, kept: form.kept };
  } catch (error) {
    form.kept.close();
    throw error;
  }
}

async function jsonIn({ fields }: MultipartForm, name: string): Promise<unknown> {
  const text = fields[name];
  if (typeof text !== 'string') throw malformed(`the form must have one field "${name}"`);
  try {
    return await decodeBody(json, Buffer.from(text));
  } catch (cause) {
    if (cause instanceof Failure && cause.code !== 'body_undecodable') throw cause;
    throw malformed(`the field "${name}" of the form must be JSON`);
  }
}

/** Puts each file where the map has it. */
function place(files: MultipartForm['files'], map: unknown, body: unknown): void {
  if (typeof map !== 'object' || map === null || Array.isArray(map))
    throw malformed('the field "map" of the form must be an object of lists');
  for (const [name, paths] of Object.entries(map)) {
    const file = files[name];
    if (file === undefined) throw malformed(`the form has no file "${name}"`);
    if (Array.isArray(file)) throw malformed(`the form has more than one file "${name}"`);
    if (!Array.isArray(paths) || paths.length === 0) throw malformed(`the map must have a list of paths for "${name}"`);
    for (const path of paths) set(body, path, file);
  }
  for (const name in files) if (!Object.hasOwn(map, name)) throw malformed(`the map does not have the file "${name}"`);
}

/** Sets a place of the variables that is there and null: no other is made or changed. */
function set(body: unknown, path: unknown, file: Content): void {
  const names = typeof path === 'string' ? path.split('.') : [];
  const last = names.pop();
  if (last === undefined || names[0] !== 'variables') throw malformed(`"${path}" does not name a variable`);
  let at: unknown = body;
  for (const name of names) at = isInside(at, name) ? at[name] : undefined;
  if (!isInside(at, last) || at[last] !== null) throw malformed(`there is no null at "${path}" to be a file`);
  at[last] = file;
}

function isInside(value: unknown, name: string): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return false;
  return !Array.isArray(value) || /^\d+$/.test(name);
}

function malformed(message: string): Failure {
  return new Failure('body_undecodable', message);
}
