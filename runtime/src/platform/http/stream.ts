import type { ServerResponse } from 'node:http';
import type { StreamedBody } from '../../foundation/contracts/http.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { free } from '../content/free.ts';

type Pieces = AsyncIterator<Uint8Array | string>;

/** The caller has gone. */
const gone = Symbol('gone');

/**
 * Sends an answer whose head is written, piece by piece: the next one is asked for when the caller has taken those
 * before it. Resolves when the end is written, or the caller has gone; a failure of the body ends the connection, since
 * nothing else shows the caller that the answer is not complete, and is what this resolves to. Never rejects.
 */
export async function sendPieces(
  response: ServerResponse,
  pieces: Pieces,
  body: Omit<StreamedBody, 'pieces'>,
): Promise<unknown> {
  const { length } = body;
  const caller = new Caller(response);
  try {
    // The answer to HEAD has the same head, and no body.
    const sent = response.req.method === 'HEAD' ? length : await sendAll(response, pieces, body, caller);
    if (sent === gone) return undefined;
    if (length !== undefined && sent !== length)
      throw new Failure('internal', `the body of the answer has ${sent} of the ${length} bytes that it announced`);
    response.end();
    return undefined;
  } catch (error) {
    response.destroy();
    return error;
  } finally {
    caller.forget();
    // Of no effect on one that has come to its end.
    void pieces.return?.().catch(() => undefined);
  }
}

/** Bytes that were sent, or `gone`. */
async function sendAll(
  response: ServerResponse,
  pieces: Pieces,
  { length, isFreeable }: Omit<StreamedBody, 'pieces'>,
  caller: Caller,
): Promise<number | typeof gone> {
  let sent = 0;
  for (;;) {
    const next = await caller.orGone(pieces.next());
    if (next === gone) return gone;
    if (next.done === true) return sent;
    const { value } = next;
    sent += typeof value === 'string' ? Buffer.byteLength(value) : value.byteLength;
    if (length !== undefined && sent > length)
      throw new Failure('internal', `the body of the answer is longer than the ${length} bytes that it announced`);
    const isFreed = isFreeable === true && typeof value !== 'string';
    // One that was not sent may still be in use.
    if (response.write(value, isFreed ? (error) => void (error ?? free(value)) : undefined)) continue;
    const drained = new Promise<void>((resolve) => response.once('drain', resolve));
    if ((await caller.orGone(drained)) === gone) return gone;
  }
}

/** Watches whether the caller of an answer is still there. */
class Caller {
  readonly #response: ServerResponse;
  #left: () => void = () => undefined;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.once('close', this.#gone);
  }

  /** What a promise comes to, or `gone` when the caller goes first. */
  orGone<T>(promise: Promise<T>): Promise<T | typeof gone> {
    if (this.#response.destroyed) return Promise.resolve(gone);
    return new Promise((resolve, reject) => {
      this.#left = () => resolve(gone);
      promise.then(resolve, reject);
    });
  }

  forget(): void {
    this.#response.removeListener('close', this.#gone);
  }

  readonly #gone = (): void => this.#left();
}
