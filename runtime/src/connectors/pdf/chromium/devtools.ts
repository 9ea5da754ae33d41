import type { Readable, Writable } from 'node:stream';
import { Failure } from '../../../foundation/errors/failure.ts';

/** Characters of one message of the browser: a piece of a document is the largest one. */
const mostMessage = 8 * 1024 * 1024;

type Fields = Readonly<Record<string, unknown>>;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Fields;
  readonly result?: Fields;
  readonly error?: { readonly message?: string };
  readonly sessionId?: string;
}

interface Waiting {
  readonly resolve: (fields: Fields) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * The DevTools protocol over two pipes: JSON messages, each ended by a zero byte (`--remote-debugging-pipe`). No port is opened
 * for it, so that no other program of the machine can speak to the browser.
 */
export class DevTools {
  readonly #to: Writable;
  readonly #answers = new Map<number, Waiting>();
  readonly #events = new Map<string, Waiting>();
  #last = 0;
  #end: Failure | undefined;
  #hasEnded = false;

  constructor(to: Writable, from: Readable) {
    this.#to = to;
    // A browser that has ended reads no more; it is noticed where its messages are read.
    to.on('error', () => undefined);
    this.#read(from).catch((cause: unknown) => {
      if (cause instanceof Failure) this.#close(cause);
      else if (cause instanceof SyntaxError)
        this.#close(new Failure('connector_failed', 'the browser is malformed', { cause }));
      else this.#ended(cause);
    });
  }

  /** Whether the browser has ended by itself. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Rejects with `connector_failed` when the browser refuses it or ends. */
  ask(method: string, params: Fields = {}, session?: string): Promise<Fields> {
    const id = ++this.#last;
    const answer = this.#waitFor(this.#answers, id);
    if (this.#end === undefined)
      this.#to.write(`${JSON.stringify({ id, method, params, ...(session && { sessionId: session }) })}\0`);
    return answer;
  }

  /** The next event of this name. */
  event(method: string): Promise<Fields> {
    return this.#waitFor(this.#events, method);
  }

  #waitFor<Key>(where: Map<Key, Waiting>, key: Key): Promise<Fields> {
    const { promise, resolve, reject } = Promise.withResolvers<Fields>();
    promise.catch(() => undefined);
    if (this.#end === undefined) where.set(key, { resolve, reject });
    else reject(this.#end);
    return promise;
  }

  async #read(from: Readable): Promise<void> {
    from.setEncoding('utf8');
    let held: string[] = [];
    let size = 0;
    for await (const piece of from as AsyncIterable<string>) {
      const parts = piece.split('\0');
      for (const [at, part] of parts.entries()) {
        held.push(part);
        size += part.length;
        if (size > mostMessage) throw new Failure('connector_failed', 'the browser sent too large a message');
        if (at === parts.length - 1) break;
        this.#take(JSON.parse(held.join('')) as Message);
        held = [];
        size = 0;
      }
    }
    this.#ended();
  }

  #take({ id, method, params = {}, result = {}, error }: Message): void {
    if (id !== undefined) {
      const waiting = this.#answers.get(id);
      this.#answers.delete(id);
      if (error === undefined) waiting?.resolve(result);
      else waiting?.reject(new Failure('connector_failed', `the browser refused: ${error.message}`));
    } else if (method !== undefined) {
      this.#events.get(method)?.resolve(params);
      this.#events.delete(method);
    }
  }

  #ended(cause?: unknown): void {
    this.#hasEnded = true;
    this.#close(new Failure('connector_failed', 'the browser ended', { cause }));
  }

  #close(failure: Failure): void {
    this.#end = failure;
    for (const { reject } of [...this.#answers.values(), ...this.#events.values()]) reject(failure);
    this.#answers.clear();
    this.#events.clear();
  }
}
