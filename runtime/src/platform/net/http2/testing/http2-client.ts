import { expect, onTestFinished } from 'vitest';
import type { HttpRequest } from '../../client/http-request.ts';
import { HttpClient, type HttpClientOptions, type HttpFailure } from '../../request.ts';
import type { OwnCertificate } from './http2-peer.ts';

/** Clients of peers with one certificate, which end with their test. */
export function clientsFor(own: () => OwnCertificate) {
  const client = (options: Partial<HttpClientOptions> = {}): HttpClient => {
    const tls = { ca: Buffer.from(own().cert), rejectUnauthorized: true, minVersion: 'TLSv1.2' } as const;
    const made = new HttpClient({ tls, maxResponse: 1_000_000, http2: true, ...options });
    onTestFinished(() => made.close(AbortSignal.abort()));
    return made;
  };
  /** Sends a GET of the root, unless the request says something else. */
  const send = (origin: string, request: Partial<HttpRequest> = {}, from = client()) =>
    from.send({ method: 'GET', origin, path: '/', headers: [], deadline: 30_000, ...request });
  return { client, send };
}

/** What a request failed with. */
export function failure(promise: Promise<unknown>): Promise<HttpFailure> {
  return promise.then(
    () => expect.fail('it did not fail'),
    (error) => error,
  );
}

export const said = ({ code, sent, message }: HttpFailure) => ({ code, sent, message });
