import { connect, type Socket } from 'node:net';
import type { Values } from '@svc/protocol/schema';
import type { Connector, Factory } from '../../../runtime/src/foundation/contracts/connector.ts';
import type { Target } from '../../../runtime/src/foundation/contracts/target.ts';
import { Failure } from '../../../runtime/src/foundation/errors/failure.ts';
import type { FailureCode } from '../../../runtime/src/foundation/errors/failures.ts';
import { type Codec, codecOf } from '../../../runtime/src/platform/formats/registry.ts';
import { fired } from '../../../runtime/src/platform/net/fired.ts';
import { linesOf } from './line-reader.ts';
import type { linesClient } from './spec.ts';

type Config = Values<(typeof linesClient)['config']>;

export const create: Factory<typeof linesClient> = (name, config) => new LineClient(name, config);

/** Asks a server of lines. Each call has a connection of its own, so that one that was given up disturbs no other. */
class LineClient implements Connector {
  readonly name: string;
  readonly target: Target;
  readonly #config: Config;
  readonly #sockets = new Set<Socket>();
  readonly #calls = new Set<Promise<unknown>>();
  #json: Codec | undefined;
  #isOpen = false;

  constructor(name: string, config: Config) {
    this.name = name;
    this.#config = config;
    this.target = {
      prepare: ({ verb, timeout = config.timeout }) => {
        const isCall = verb === 'call';
        return async ({ payload, params, signal }) => {
          if (!this.#isOpen) throw this.#failure('connector_refused', 'it is not open');
          const json = this.#json as Codec;
          // JSON has no line feed outside of its texts, and none inside them that is not escaped.
          const answer = await this.#track(this.#ask(String(json.encode(payload ?? params ?? {})), timeout, signal));
          const value = this.#read(json, answer);
          return isCall ? { value } : { affected: 1 };
        };
      },
    };
  }

  async open(signal: AbortSignal): Promise<void> {
    if (this.#isOpen) return;
    this.#json = await codecOf('json');
    await this.#track(this.#ask('', this.#config.timeout, signal));
    this.#isOpen = true;
  }

  async close(cut?: AbortSignal): Promise<void> {
    this.#isOpen = false;
    const done = Promise.allSettled(this.#calls);
    await Promise.race([done, fired(cut)]);
    for (const socket of this.#sockets) socket.destroy(this.#failure('connector_refused', 'it is being closed'));
    await done;
  }

  async check(signal: AbortSignal): Promise<void> {
    if (!this.#isOpen) throw this.#failure('connector_refused', 'it is not open');
    // A server answers an empty line with an empty line.
    await this.#track(this.#ask('', this.#config.timeout, signal));
  }

  /** Sends a line and resolves with the one that answers it. What ends it early ends its connection with the reason. */
  async #ask(line: string, timeout: number, signal: AbortSignal | undefined): Promise<Buffer> {
    const { host, port, token, max_line, max_calls } = this.#config;
    if (signal?.aborted) throw this.#failure('cancelled', 'the call was cancelled');
    if (this.#sockets.size >= max_calls) throw this.#failure('connector_busy', `${max_calls} calls wait (max_calls)`);
    const socket = connect(port, host);
    const end = (code: FailureCode, reason: string) => socket.destroy(this.#failure(code, reason));
    const abort = () => void end('cancelled', 'the call was cancelled');
    const timer = setTimeout(end, timeout, 'connector_timeout', `no answer within ${timeout / 1000} s`);
    this.#sockets.add(socket);
    signal?.addEventListener('abort', abort, { once: true });
    socket.on('error', () => undefined);
    try {
      socket.write(token === undefined ? `${line}\n` : `${token}\n${line}\n`);
      for await (const answer of linesOf(socket, max_line)) return answer;
      throw new Error('it ended the connection without an answer');
    } catch (error) {
      if (error instanceof Failure && error.code !== 'body_too_large') throw error;
      throw this.#failure('connector_refused', `${host}:${port} cannot be asked: ${(error as Error).message}`, error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      this.#sockets.delete(socket);
      socket.destroy();
    }
  }

  #read(json: Codec, answer: Buffer): unknown {
    let value: unknown;
    try {
      value = json.decode(answer);
    } catch (error) {
      throw this.#failure('connector_failed', 'the answer is not JSON', error);
    }
    const error = typeof value === 'object' && value !== null && 'error' in value ? value.error : undefined;
    if (error === undefined) return value;
    throw this.#failure('connector_failed', `the server answered with the error ${JSON.stringify(error)}`);
  }

  #track<T>(call: Promise<T>): Promise<T> {
    const end = () => void this.#calls.delete(call);
    this.#calls.add(call);
    call.then(end, end);
    return call;
  }

  #failure(code: FailureCode, message: string, cause?: unknown): Failure {
    return new Failure(code, message, { cause, at: { connector: this.name } });
  }
}
