import type { Values } from '@svc/protocol/schema';
import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import type { Connector, ConnectorServices, Factory } from '../../../foundation/contracts/connector.ts';
import type { CallDescription, CallRequest, Execute, Target } from '../../../foundation/contracts/target.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { CallsUnderWay } from '../../../platform/net/calls-under-way.ts';
import { fired } from '../../../platform/net/fired.ts';
import { readTls } from '../../../platform/net/tls.ts';
import type { Envelopes, TcpReply } from '../envelopes/envelope.ts';
import { envelopesOf } from '../envelopes/of-protocol.ts';
import { byteLength } from '../frames.ts';
import { SendFailure, type ServerConnection } from './client-connection.ts';
import { ConnectionPool } from './pool.ts';
import { rowWords, type tcpClient } from './spec.ts';

type Config = Values<(typeof tcpClient)['config']>;

export const create: Factory<typeof tcpClient> = (name, config, services) => new TcpClient(name, config, services);

/** What one place of the configuration sends. */
interface Sending {
  readonly type: string | undefined;
  readonly isCall: boolean;
  readonly isRead: boolean;
  readonly waits: boolean;
  readonly timeout: number;
}

/** Asks one server. */
class TcpClient implements Connector {
  readonly name: string;
  readonly target: Target;
  readonly #config: Config;
  readonly #services: ConnectorServices;
  readonly #calls = new CallsUnderWay();
  #open: { readonly pool: ConnectionPool; readonly envelopes: Envelopes } | undefined;
  #sent = 0;

  constructor(name: string, config: Config, services: ConnectorServices) {
    this.name = name;
    this.#config = config;
    this.#services = services;
    this.target = { prepare: (call) => this.#prepare(call) };
  }

  /** Reads certificates. The server is connected to when it is first asked, by the check of health at the latest. */
  async open(): Promise<void> {
    if (this.#open !== undefined) return;
    const { host, port, protocol } = this.#config;
    const envelopes = await envelopesOf(protocol);
    const settings = {
      host,
      port,
      tls: await readTls(this.#config.tls, this.#services),
      envelopes,
      connectTimeout: this.#config.connect_timeout,
      writeTimeout: this.#config.write_timeout,
      mostBytes: this.#config.max_message,
    };
    const pool = new ConnectionPool(settings, {
      size: this.#config.pool_size,
      mostWaiting: this.#config.max_waiting,
      idleTimeout: this.#config.idle_timeout,
    });
    this.#open = { pool, envelopes };
  }

  async close(cut?: AbortSignal): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await Promise.race([this.#calls.settled(), fired(cut)]);
    await open?.pool.close(fired(cut));
    await this.#calls.settled();
  }

  /** A connection is made where the pool is empty; what a server understands beside its types is not known. */
  async check(signal: AbortSignal): Promise<void> {
    const { pool } = this.#opened();
    await pool
      .use(signal, async () => undefined)
      .catch((error: unknown) => {
        throw this.#placed(error);
      });
  }

  #prepare(call: CallDescription): Execute {
    const { verb, operation, target, timeout = this.#config.read_timeout, words } = call;
    const sending: Sending = {
      type: operation === undefined || rowWords.has(operation) ? target : operation,
      isCall: verb === 'call',
      isRead: verb === 'read',
      waits: words?.['mode'] !== 'fire_and_forget',
      timeout,
    };
    return (request) => this.#calls.track(this.#execute(sending, request));
  }

  async #execute(sending: Sending, request: CallRequest): Promise<CallResult> {
    const type = sending.type ?? request.target;
    if (type === undefined) throw this.#failure('connector_failed', 'the message has no type');
    const { filters, params, payload } = request;
    const data = sending.isRead ? { ...params, ...filters } : (payload ?? params ?? filters ?? {});
    const limit = new AbortController();
    const late = () => limit.abort(this.#failure('connector_timeout', `no answer within ${sending.timeout / 1000} s`));
    const timer = setTimeout(late, sending.timeout);
    const signal = request.signal === undefined ? limit.signal : AbortSignal.any([request.signal, limit.signal]);
    try {
      const reply = await this.#tries(type, data, sending.waits, signal);
      return this.#result(reply, sending);
    } catch (error) {
      if (limit.signal.aborted) throw limit.signal.reason;
      if (request.signal?.aborted) throw this.#failure('cancelled', 'the call was cancelled');
      throw this.#placed(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Tries again what was not sent; what may have reached the server is for the flow to repeat. */
  async #tries(type: string, data: unknown, waits: boolean, signal: AbortSignal): Promise<TcpReply | undefined> {
    const { retry_count: most, retry_delay: delay } = this.#config;
    for (let tries = 0; ; tries++) {
      const { pool, envelopes } = this.#opened();
      try {
        return await pool.use(signal, (connection) => this.#send(connection, envelopes, type, data, waits, signal));
      } catch (error) {
        const isSafe = error instanceof SendFailure && !error.isSent && error.code !== 'cancelled';
        if (!isSafe || tries >= most || signal.aborted) throw error;
        await this.#services.clock.sleep(delay, signal);
      }
    }
  }

  async #send(
    connection: ServerConnection,
    envelopes: Envelopes,
    type: string,
    data: unknown,
    waits: boolean,
    signal: AbortSignal,
  ): Promise<TcpReply | undefined> {
    // What is answered without an id could be taken for the answer to another message.
    const id = waits || envelopes.answersAll ? String(++this.#sent) : undefined;
    const message = envelopes.request(type, data, id, this.#services.clock.now());
    const { max_message: most } = this.#config;
    if (byteLength(message) > most)
      throw this.#failure('body_too_large', `the message has more than ${most} bytes (max_message)`);
    if (id === undefined || !waits) {
      await connection.tell(message, id);
      return undefined;
    }
    const interrupted = Promise.withResolvers<never>();
    const interrupt = () => interrupted.reject(signal.reason);
    signal.addEventListener('abort', interrupt, { once: true });
    try {
      return await Promise.race([connection.ask(id, message), interrupted.promise]);
    } finally {
      signal.removeEventListener('abort', interrupt);
      connection.forget(id);
    }
  }

  #result(reply: TcpReply | undefined, { isCall }: Sending): CallResult {
    if (reply === undefined) return isCall ? { value: null } : { affected: 1 };
    if (reply.error !== undefined) throw this.#failure('connector_failed', `remote error: ${reply.error}`);
    const { data } = reply;
    if (isCall) return { value: data };
    const isMap = typeof data === 'object' && data !== null && !Array.isArray(data) && !(data instanceof Uint8Array);
    return { rows: data === null ? [] : [isMap ? (data as Record<string, unknown>) : { result: data }], affected: 1 };
  }

  #opened() {
    if (this.#open === undefined) throw this.#failure('connector_refused', 'it is not open');
    return this.#open;
  }

  #placed(error: unknown): unknown {
    if (!(error instanceof SendFailure)) return error;
    return this.#failure(error.code, error.message, error);
  }

  #failure(code: Failure['code'], message: string, cause?: unknown): Failure {
    return new Failure(code, message, { cause, at: { connector: this.name } });
  }
}
