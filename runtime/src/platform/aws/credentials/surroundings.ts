import { FileProblem, regularFile } from '../../../foundation/disk/regular-file.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import type { HttpRequest } from '../../net/client/http-request.ts';
import { type HttpAnswer, HttpClient, HttpFailure } from '../../net/request.ts';
import type { Credentials } from './credentials.ts';

/** What a process knows from the machine, container or program that runs it. */
export interface Surroundings {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The folder of the user, for `~/.aws`. */
  readonly home: string;
  readonly region: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Bytes of a file or of an answer that holds credentials. */
const largest = 1_048_576;

/** The text of a regular file; undefined where it does not exist. Rejects with a Failure that names it. */
export async function textOf(path: string): Promise<string | undefined> {
  try {
    return (await regularFile(path, largest)).toString('utf8');
  } catch (error) {
    if (error instanceof FileProblem) throw refused(`${path} is not a file of credentials`);
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw refused(`${path} cannot be read: ${code}`, error);
  }
}

/**
 * Asks one of the fixed addresses that give credentials, which no data decides. Answers are small, redirects are not followed.
 */
export async function ask(
  url: URL,
  request: Pick<HttpRequest, 'method' | 'headers' | 'deadline' | 'body'>,
): Promise<HttpAnswer> {
  const http = new HttpClient({ maxResponse: largest });
  try {
    return await http.send({ ...request, origin: url.origin, path: url.pathname + url.search, redirects: false });
  } finally {
    await http.close(AbortSignal.abort());
  }
}

/** Credentials as containers and instances give them. Rejects with a Failure that shows nothing of what came. */
export function credentialsIn(body: Buffer, from: string): Credentials {
  let said: Record<string, unknown> = {};
  try {
    said = JSON.parse(body.toString()) as Record<string, unknown>;
  } catch {
    throw refused(`${from} did not answer with credentials`);
  }
  return credentialsOf(said ?? {}, 'Token', from);
}

/** The names of credentials are everywhere the same, but that of the token. */
export function credentialsOf(said: Readonly<Record<string, unknown>>, token: string, from: string): Credentials {
  const { AccessKeyId: accessKey, SecretAccessKey: secretKey, [token]: sessionToken, Expiration: until } = said;
  if (typeof accessKey !== 'string' || typeof secretKey !== 'string') throw refused(`${from} gave no credentials`);
  const expires = Date.parse(String(until));
  return {
    accessKey,
    secretKey,
    sessionToken: typeof sessionToken === 'string' ? sessionToken : undefined,
    expires: Number.isNaN(expires) ? undefined : expires,
  };
}

export function refused(message: string, cause?: unknown): Failure {
  return new Failure('connector_refused', `credentials: ${message}`, { cause });
}

/** Why an address was not asked, in words without what was sent. */
export function asRefusal(error: unknown, from: string): Failure {
  if (error instanceof HttpFailure) return refused(`${from}: ${error.message}`, error);
  return refused(`${from} cannot be asked`, error);
}
