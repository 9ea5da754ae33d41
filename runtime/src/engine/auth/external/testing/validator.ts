import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type AuthBed, authBed, quick } from '../../testing/bed.ts';

/** What a provider was asked. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** What a provider answers: the body as JSON unless it is a text or bytes, or whatever a function does. */
export type Answer =
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    }
  | ((response: ServerResponse, request: SeenRequest) => void);

/** A service that validates credentials, closed when the test ends. */
export interface Validator {
  readonly url: string;
  readonly seen: SeenRequest[];
  answer: Answer;
  /** Connections that are open. */
  connections(): Promise<number>;
}

export async function validator(answer: Answer = {}): Promise<Validator> {
  const seen: SeenRequest[] = [];
  const server = createServer(({ method = '', url = '', headers }, response) => {
    const request = { method, url, headers };
    seen.push(request);
    const { answer: now } = peer;
    if (typeof now === 'function') return now(response, request);
    const { status = 200, headers: own, body = { active: true, sub: 'u1' } } = now;
    response.writeHead(status, { 'content-type': 'application/json', ...own });
    response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const peer: Validator = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    answer,
    connections: () => new Promise((resolve) => server.getConnections((_error, count) => resolve(count))),
  };
  return peer;
}

/** What may be written of a provider in place of what is usual. */
export interface WrittenProvider {
  readonly name?: string;
  readonly validate?: string;
  readonly request?: string;
  /** Lines of `response`. */
  readonly response?: string;
}

export const usualResponse = 'success = "status == 200 && body.active == true"\n user_id = "body.sub"';

/** The block of a provider. */
export function written({
  name = 'one',
  validate = 'http://127.0.0.1:1/v',
  request = '{ Authorization = "Bearer {token}" }',
  response = usualResponse,
}: WrittenProvider): string {
  return `provider "${name}" {\n type = "http"\n validate = "${validate}"\n request = ${request}\n response {\n ${response}\n }\n}`;
}

/** A sign-in system that asks a validator, and the validator. */
export async function asking(
  answer: Answer = {},
  block: Omit<WrittenProvider, 'validate'> & { readonly path?: string; readonly more?: string } = {},
): Promise<{ readonly bed: AuthBed; readonly peer: Validator }> {
  const peer = await validator(answer);
  const { path = '/v', more = '', ...rest } = block;
  const bed = await authBed(quick(`${written({ ...rest, validate: `${peer.url}${path}` })}\n${more}`));
  return { bed, peer };
}
