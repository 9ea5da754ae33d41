import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { FailureCode } from '../../../foundation/errors/failures.ts';
import { textOf } from '../../../platform/net/connection.ts';
import type { TlsMaterial } from '../../../platform/net/tls.ts';
import type { Envelopes, TcpReply } from '../envelopes/envelope.ts';
import type { FrameReader } from '../frames.ts';

export interface ConnectionSettings {
  readonly host: string;
  readonly port: number;
  readonly tls: TlsMaterial | undefined;
  readonly connectTimeout: number;
  readonly writeTimeout: number;
  readonly mostBytes: number;
  readonly envelopes: Envelopes;
}

/** A failure, and whether the message may have reached the server. */
export class SendFailure extends Failure {
  readonly isSent: boolean;

  constructor(code: FailureCode, message: string, isSent: boolean, cause?: unknown) {
    super(code, message, { cause });
    this.isSent = isSent;
  }
}

interface Asked {
  readonly resolve: (reply: TcpReply) => void;
  readonly reject: (failure: SendFailure) => void;
}

/** In the place of a message whose answer is not waited for any longer, and may still come. */
const forgotten: Asked = { resolve: () => undefined, reject: () => undefined };
/** Those that are kept in their order; beyond it, the first one is given up. */
const mostForgotten = 1_000;

/** One connection to a server; messages share it, and answers come in any order. */
export class ServerConnection {
  readonly #socket: Socket;
  readonly #settings: ConnectionSettings;
  readonly #reader: FrameReader;
  readonly #asked = new Map<string, Asked>();
  /** Whether the server has said the id of a message; until then its answers may be those of messages in their order. */
  #saysIds = false;
  /** How many may still be answered although no one waits for it, and whether the first of them was given up. */
  #forgotten = 0;
  #isOrderLost = false;
  readonly #closed = Promise.withResolvers<void>();
  #reason: Failure | undefined;
  #lateWrite: NodeJS.Timeout | undefined;

  private constructor(socket: Socket, settings: ConnectionSettings, gone: (connection: ServerConnection) => void) {
    this.#socket = socket;
    this.#settings = settings;
    this.#reader = settings.envelopes.framing.reader(settings.mostBytes);
    socket.on('data', (piece: Buffer) => this.#take(piece));
    socket.on('drain', () => this.#drained());
    socket.on('error', (error) => {
      this.#reason ??= refused(settings, textOf(error), error);
    });
    socket.on('end', () => {
      this.#reason ??= refused(settings, 'the server ended the connection');
    });
    socket.on('close', () => {
      clearTimeout(this.#lateWrite);
      const reason = this.#reason ?? refused(settings, 'the connection ended');
      gone(this);
      for (const { reject } of this.#asked.values()) reject(new SendFailure(reason.code, reason.message, true, reason));
      this.#asked.clear();
      this.#closed.resolve();
    });
  }

  /** Rejects with a SendFailure when there is no connection within the time, or the signal fires. */
  static open(
    settings: ConnectionSettings,
    signal: AbortSignal,
    gone: (connection: ServerConnection) => void,
  ): Promise<ServerConnection> {
    const { host, port, tls, connectTimeout } = settings;
    return new Promise((resolve, reject) => {
      const socket =
        tls === undefined
          ? connect({ host, port, noDelay: true, keepAlive: true })
          : connectTls({ host, port, ...tls, ...(tls.servername === undefined && { servername: nameOf(host) }) });
      const fail = (code: FailureCode, reason: string, cause?: unknown) => {
        done();
        socket.on('error', () => undefined);
        socket.destroy();
        reject(new SendFailure(code, `${host}:${port}: ${reason}`, false, cause));
      };
      const failed = (error: Error) => fail('connector_refused', textOf(error), error);
      const ended = () => fail('connector_refused', 'the server ended the connection');
      const abort = () => fail('cancelled', 'the call was cancelled');
      const timer = setTimeout(
        () => fail('connector_timeout', `no connection within ${connectTimeout / 1000} s`),
        connectTimeout,
      );
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        socket.off('error', failed);
        socket.off('close', ended);
      };
      socket.on('error', failed);
      socket.on('close', ended);
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
      socket.once(tls === undefined ? 'connect' : 'secureConnect', () => {
        done();
        resolve(new ServerConnection(socket, settings, gone));
      });
    });
  }

  /** Whether a further message can be sent over it. */
  get isUsable(): boolean {
    return this.#reason === undefined && !this.#socket.destroyed && !this.#socket.writableNeedDrain;
  }

  /** Sends a message and resolves with its answer. Rejects with a SendFailure. */
  ask(id: string, message: string | Uint8Array): Promise<TcpReply> {
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject });
      this.#write(message);
    });
  }

  /** The answer to a message is waited for no longer; what comes late is left out. */
  forget(id: string): void {
    if (!this.#asked.has(id)) return;
    if (this.#saysIds) this.#asked.delete(id);
    else this.#keepPlace(id);
  }

  /**
   * Resolves when the message was handed to the network. Rejects with a SendFailure. `id`: that of a message which may be
   * answered all the same.
   */
  tell(message: string | Uint8Array, id: string | undefined): Promise<void> {
    const { host, port } = this.#settings;
    if (id !== undefined && !this.#saysIds) this.#keepPlace(id);
    return new Promise((resolve, reject) => {
      this.#write(message, (error) => {
        if (error) reject(new SendFailure('connector_refused', `${host}:${port}: ${textOf(error)}`, true));
        else resolve();
      });
    });
  }

  /** Ends it when what was written has reached the network; resolves when it is closed. */
  close(): Promise<void> {
    this.#reason ??= new Failure('connector_refused', 'the connector is closed');
    this.#socket.destroySoon();
    return this.#closed.promise;
  }

  destroy(): void {
    this.#end(new Failure('connector_refused', 'the connector is closed'));
  }

  #write(message: string | Uint8Array, done?: (error?: Error | null) => void): void {
    const { envelopes, writeTimeout } = this.#settings;
    if (!this.#socket.write(envelopes.framing.frame(message), done))
      this.#watchWrite(this.#socket.writableLength, writeTimeout);
  }

  #watchWrite(unsent: number, writeTimeout: number): void {
    this.#lateWrite ??= setTimeout(() => {
      this.#lateWrite = undefined;
      const left = this.#socket.writableLength;
      if (left === 0) return;
      if (left < unsent) return this.#watchWrite(left, writeTimeout);
      this.#end(refused(this.#settings, `the server took nothing within ${writeTimeout / 1000} s`));
    }, writeTimeout);
  }

  #drained(): void {
    clearTimeout(this.#lateWrite);
    this.#lateWrite = undefined;
  }

  #take(piece: Buffer): void {
    try {
      for (const message of this.#reader.take(piece)) {
        const reply = this.#settings.envelopes.readReply(message);
        if (reply instanceof Promise)
          reply.then(
            (late) => this.#answered(late),
            (error) => this.#broken(error),
          );
        else this.#answered(reply);
      }
    } catch (error) {
      this.#broken(error);
    }
  }

  #answered(reply: TcpReply): void {
    if (reply.id !== undefined) this.#dropForgotten();
    else if (this.#isOrderLost) return this.#broken(new Error('it says no id'));
    // A server that says no id answers one message after another, also those that no one waits for.
    const id = reply.id ?? (this.#asked.keys().next().value as string | undefined);
    const asked = id === undefined ? undefined : this.#asked.get(id);
    if (id === undefined || asked === undefined) return;
    this.#asked.delete(id);
    if (asked === forgotten) this.#forgotten--;
    asked.resolve(reply);
  }

  #keepPlace(id: string): void {
    this.#asked.set(id, forgotten);
    if (++this.#forgotten <= mostForgotten) return;
    this.#isOrderLost = true;
    this.#forgotten--;
    for (const [first, asked] of this.#asked)
      if (asked === forgotten) {
        this.#asked.delete(first);
        return;
      }
  }

  /** Answers are found by their ids: those that no one waits for need no place. */
  #dropForgotten(): void {
    if (this.#saysIds) return;
    this.#saysIds = true;
    for (const [id, asked] of this.#asked) if (asked === forgotten) this.#asked.delete(id);
    this.#forgotten = 0;
    this.#isOrderLost = false;
  }

  #end(reason: Failure): void {
    this.#reason ??= reason;
    this.#socket.destroy();
  }

  /** Where the next answer begins is not known any more. */
  #broken(error: unknown): void {
    const text = `the server sent what is not an answer: ${textOf(error)}`;
    this.#end(new Failure('connector_failed', text, { cause: error }));
  }
}

/** Addresses are not names of servers in TLS. */
function nameOf(host: string): string {
  return /^[\d.]+$|:/.test(host) ? '' : host;
}

function refused({ host, port }: ConnectionSettings, reason: string, cause?: unknown): Failure {
  return new Failure('connector_refused', `${host}:${port}: ${reason}`, { cause });
}
