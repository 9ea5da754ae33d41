import type { Socket } from 'node:net';
import type { ConnectionCut } from '../../../foundation/contracts/connector.ts';
import type { Auth } from '../../../foundation/contracts/message.ts';
import type { Outcome } from '../../../foundation/contracts/outcome.ts';
import { failureOf } from '../../../foundation/errors/answered.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { reportOf } from '../../../foundation/errors/report.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import { dropAnswer } from '../../../platform/http/drop-answer.ts';
import type { Backlog, Held } from '../../../platform/net/backlog.ts';
import type { ClientDriver } from '../../intake/clients/client-driver.ts';
import type { Envelopes, TcpRequest } from '../envelopes/envelope.ts';
import { byteLength, type FrameReader } from '../frames.ts';
import { TcpMessage } from './message.ts';

/** What all connections of a server share. */
export interface ServerContext {
  readonly envelopes: Envelopes;
  readonly driver: ClientDriver;
  readonly backlog: Backlog;
  readonly production: boolean;
  readonly log: Log;
  readonly readTimeout: number;
  readonly writeTimeout: number;
  readonly mostWaiting: number;
  readonly mostUnsent: number;
  readonly mostBytes: number;
  readonly now: () => number;
  readonly cut: (reason: ConnectionCut) => void;
}

/** What is answered, or the failure that is. */
function answerOf(end: Outcome | Failure): unknown {
  if (end instanceof Failure) return end;
  if (end.kind === 'drop') return dropAnswer(end);
  return end.kind === 'failed' ? failureOf(end) : end.value;
}

/** Longest name of a type that is repeated in an error. */
const longestType = 256;

/**
 * The connection of one client. It is read while there is room for further messages; each message is answered when its
 * flow has ended, and a client that ends its side gets the answers before the connection ends.
 */
export class ClientConnection implements Held {
  readonly #socket: Socket;
  readonly #auth: Auth | undefined;
  readonly #context: ServerContext;
  readonly #reader: FrameReader;
  /** Messages that were read and not begun: what comes in one piece may be more than may wait. */
  #read: Buffer[] = [];
  /** Messages that are handled. */
  #waiting = 0;
  #isPaused = false;
  #isEnding = false;
  #lateRead: NodeJS.Timeout | undefined;
  #lateWrite: NodeJS.Timeout | undefined;

  constructor(socket: Socket, auth: Auth | undefined, context: ServerContext) {
    this.#socket = socket;
    this.#auth = auth;
    this.#context = context;
    this.#reader = context.envelopes.framing.reader(context.mostBytes);
    socket.on('data', (piece: Buffer) => this.#take(piece));
    socket.on('drain', () => this.#drained());
    socket.on('end', () => this.end());
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(this.#lateRead);
      clearTimeout(this.#lateWrite);
    });
  }

  /** Reads no more; the connection ends when everything that was read is answered. */
  end(): void {
    this.#isEnding = true;
    this.#pause();
    this.relieve();
  }

  /** Ends the connection when what was answered has reached the network; nothing further is answered. */
  finish(): void {
    this.#isEnding = true;
    this.#read = [];
    this.#pause();
    this.#socket.destroySoon();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Reads on, unless too much waits still. */
  relieve(): void {
    this.#begin();
    if (this.#read.length === 0 && this.#isEnding && this.#waiting === 0) this.#socket.end();
    if (!this.#isPaused || this.#isEnding || this.#read.length > 0 || !this.#hasRoom) return;
    this.#isPaused = false;
    this.#socket.resume();
    this.#watchRead();
  }

  #take(piece: Buffer): void {
    let messages: Buffer[];
    try {
      messages = this.#reader.take(piece);
    } catch (error) {
      return this.#disconnect(error);
    }
    if (messages.length > 0) {
      clearTimeout(this.#lateRead);
      this.#lateRead = undefined;
      this.#read = this.#read.length === 0 ? messages : [...this.#read, ...messages];
      this.#begin();
    }
    this.#watchRead();
  }

  /** Begins what was read, as far as there is room. */
  #begin(): void {
    // Answers of flows that end in this turn go together.
    const isMany = this.#read.length > 1;
    if (isMany) this.#socket.cork();
    while (this.#read.length > 0 && this.#hasRoom && !this.#socket.destroyed)
      this.#handle(this.#read.shift() as Buffer);
    if (isMany) this.#socket.uncork();
    if (this.#read.length > 0 || !this.#hasRoom) this.#pause();
    if (this.#context.backlog.isFull) this.#context.backlog.await(this);
  }

  get #hasRoom(): boolean {
    const { backlog, mostWaiting } = this.#context;
    return this.#waiting < mostWaiting && !backlog.isFull && !this.#socket.writableNeedDrain;
  }

  /** A message that has begun must be complete within its time. */
  #watchRead(): void {
    if (this.#isPaused || !this.#reader.isBegun) {
      clearTimeout(this.#lateRead);
      this.#lateRead = undefined;
    } else
      this.#lateRead ??= setTimeout(() => {
        this.#context.cut('read_timeout');
        this.destroy();
      }, this.#context.readTimeout);
  }

  #handle(message: Buffer): void {
    const { envelopes, backlog } = this.#context;
    const { length } = message;
    backlog.took(length);
    this.#waiting++;
    const settled = () => {
      this.#waiting--;
      backlog.gave(length);
      this.relieve();
    };
    const fail = (error: unknown) => {
      this.#disconnect(error);
      settled();
    };
    try {
      const request = envelopes.readRequest(message);
      if (request instanceof Promise) request.then((late) => this.#ask(late, settled), fail);
      else this.#ask(request, settled);
    } catch (error) {
      fail(error);
    }
  }

  #ask(request: TcpRequest, settled: () => void): void {
    const { driver, envelopes, readTimeout } = this.#context;
    const { type, data } = request;
    if (!driver.takes(type)) {
      const unknown = `unknown ${envelopes.unknown}: ${type.slice(0, longestType)}`;
      this.#answer(request, new Failure('value_refused', unknown));
      return settled();
    }
    driver.offer(
      new TcpMessage({
        type,
        data,
        auth: this.#auth,
        timeout: readTimeout,
        answer: (end) => this.#answer(request, end),
        settled: () => {
          driver.settled();
          settled();
        },
      }),
    );
  }

  /** Answers the id under which a failure is to be logged. */
  #answer(request: TcpRequest, end: Outcome | Failure): string | undefined {
    if (request.isEvent) return undefined;
    const { log, mostBytes, now } = this.#context;
    const answered = answerOf(end);
    if (answered instanceof Failure) return this.#refuse(request, answered);
    try {
      const message = request.answer(answered, now());
      if (byteLength(message) <= mostBytes) {
        this.#send(message);
        return undefined;
      }
      throw new Failure('output_invalid', `the answer has more than ${mostBytes} bytes (max_message)`);
    } catch (error) {
      const requestId = this.#refuse(request, asFailure(error));
      log.error('an answer cannot be sent', {
        type: request.type.slice(0, longestType),
        request_id: requestId,
        error,
      });
      return undefined;
    }
  }

  #refuse(request: TcpRequest, failure: Failure): string | undefined {
    const { production, now, mostBytes } = this.#context;
    const said = reportOf(failure, production);
    const message = request.refuse(said, now());
    // What a flow wrote may be larger than a message.
    this.#send(byteLength(message) <= mostBytes ? message : request.refuse({ ...said, body: undefined }, now()));
    return said.requestId;
  }

  #send(message: string | Uint8Array): void {
    const { envelopes, mostUnsent, writeTimeout, cut } = this.#context;
    if (this.#socket.destroyed) return;
    if (this.#socket.write(envelopes.framing.frame(message))) return;
    // What is not taken by the client holds back what is read from it.
    this.#pause();
    if (this.#socket.writableLength > mostUnsent) {
      cut('unsent_limit');
      return this.destroy();
    }
    this.#watchWrite(this.#socket.writableLength, writeTimeout);
  }

  #watchWrite(unsent: number, writeTimeout: number): void {
    this.#lateWrite ??= setTimeout(() => {
      this.#lateWrite = undefined;
      const left = this.#socket.writableLength;
      if (left === 0) return;
      if (left < unsent) return this.#watchWrite(left, writeTimeout);
      this.#context.cut('write_timeout');
      this.destroy();
    }, writeTimeout);
  }

  #drained(): void {
    clearTimeout(this.#lateWrite);
    this.#lateWrite = undefined;
    this.relieve();
  }

  #pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#socket.pause();
    this.#watchRead();
  }

  /** What cannot be read ends the connection without an answer: where the next message begins is not known. */
  #disconnect(error: unknown): void {
    if (this.#socket.destroyed) return;
    this.#context.log.debug('a client was disconnected', { reason: asFailure(error).message });
    this.destroy();
  }
}
