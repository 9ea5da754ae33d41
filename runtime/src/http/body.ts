import type { HttpExchange } from '../contracts/http.ts';
import { Failure } from '../errors/failure.ts';

/**
 * Reads the whole body and hands it over, or the failure: `body_too_large` as soon as it is known, `cancelled` when the
 * caller goes away. Calls back exactly once.
 */
export function readBody(exchange: HttpExchange, limit: number, done: (body: Buffer | Failure) => void): void {
  const { request } = exchange;
  if (Number(request.headers['content-length']) > limit) {
    done(tooLarge(limit));
    return;
  }
  exchange.takeBody();
  let first: Buffer | undefined;
  let more: Buffer[] | undefined;
  let length = 0;
  let over = false;
  const finish = (body: Buffer | Failure) => {
    if (over) return;
    over = true;
    done(body);
  };
  request.on('data', (chunk: Buffer) => {
    if (over) return;
    length += chunk.length;
    if (length > limit) {
      exchange.leaveBody();
      first = more = undefined;
      return finish(tooLarge(limit));
    }
    if (first === undefined) first = chunk;
    else if (more === undefined) more = [first, chunk];
    else more.push(chunk);
  });
  request.on('end', () => finish(more === undefined ? (first ?? empty) : Buffer.concat(more, length)));
  const lost = () => {
    if (!over) finish(gone());
  };
  request.on('error', lost);
  request.on('close', lost);
}

const empty = Buffer.alloc(0);

export function tooLarge(limit: number): Failure {
  return new Failure('body_too_large', `the body is larger than ${limit} bytes`);
}

export function gone(): Failure {
  return new Failure('cancelled', 'the caller went away while it sent its request');
}
