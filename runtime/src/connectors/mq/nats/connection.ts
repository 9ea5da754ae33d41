import type { Socket } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import type { JetStreamManager } from '@nats-io/jetstream';
import type { Authenticator, Msg, NatsConnection } from '@nats-io/transport-node';
import type { Connection } from '../../../platform/net/connection.ts';
import { joinWrites } from '../../../platform/net/joined-writes.ts';
import { rewriteData } from '../../../platform/net/rewritten-data.ts';
import type { TlsMaterial } from '../../../platform/net/tls.ts';
import { withinTime } from '../../../platform/net/within-time.ts';
import { messageLimit } from './message-limit.ts';

export interface LinkOptions {
  /** `host:port`. */
  readonly server: string;
  readonly name: string;
  readonly signIn: Authenticator | undefined;
  /** Undefined: no TLS is spoken. */
  readonly tls: TlsMaterial | undefined;
  /** Milliseconds. */
  readonly connectTimeout: number;
  readonly timeout: number;
  /** Milliseconds between two questions whether the server is there; 0: it is not asked. */
  readonly heartbeat: number;
  /** Of one message with its headers. */
  readonly mostBytes: number;
  readonly lost: (reason: string) => void;
}

/** The parts of the library's connection that hold its socket. */
interface Transported {
  readonly protocol: { readonly transport: { readonly socket: Socket } };
}

/** Milliseconds between two questions that never come. */
const never = 2_147_483_647;

/** A connection that is not made again when it is lost. */
export class NatsLink implements Connection {
  readonly client: NatsConnection;
  readonly mostBytes: number;
  /** Milliseconds. */
  readonly timeout: number;
  /** Gives the connection up, with the reason. */
  readonly lose: (reason: string) => void;
  readonly #socket: Socket;
  #isRefusing = false;
  /** What is said of messages of streams and goes to the server at the end of this turn: subject and text, one after the other. */
  #said: (string | Uint8Array)[] = [];
  #manager: Promise<JetStreamManager> | undefined;

  private constructor(client: NatsConnection, { mostBytes, timeout, lost }: LinkOptions) {
    this.client = client;
    this.mostBytes = mostBytes;
    this.timeout = timeout;
    this.lose = lost;
    // The client forgets it when it is closed.
    this.#socket = (client as unknown as Transported).protocol.transport.socket;
  }

  static async open(options: LinkOptions): Promise<NatsLink> {
    const { server, name, signIn, tls, connectTimeout, heartbeat, lost, mostBytes } = options;
    const { connect } = await import('@nats-io/transport-node');
    const client = await connect({
      servers: server,
      name,
      // What is not secured here does not become secured by a word of the server.
      tls: tls === undefined ? null : secured(server, tls),
      ...(signIn && { authenticator: signIn }),
      reconnect: false,
      maxReconnectAttempts: 0,
      ignoreClusterUpdates: true,
      noRandomize: true,
      timeout: connectTimeout,
      pingInterval: heartbeat === 0 ? never : heartbeat,
      maxPingOut: 2,
      noAsyncTraces: true,
    });
    const link = new NatsLink(client, options);
    void client.closed().then((error) => lost(error?.message || 'the server closed the connection'));
    const socket = link.#socket;
    // The client writes each acknowledgement by itself.
    joinWrites(socket, setImmediate);
    rewriteData(socket, messageLimit(mostBytes), (problem) => {
      link.#isRefusing = true;
      lost(problem.message);
      socket.destroy();
    });
    return link;
  }

  /** Whether the server sent what cannot be followed, so that nothing of what still comes is taken. */
  get isRefusing(): boolean {
    return this.#isRefusing;
  }

  get isOpen(): boolean {
    return !this.#isRefusing && !this.client.isClosed() && !this.client.isDraining();
  }

  /** Most bytes that the server takes in one message. */
  get mostOfServer(): number {
    return this.client.info?.max_payload ?? Number.POSITIVE_INFINITY;
  }

  /** The version of the server. */
  get version(): string {
    return this.client.info?.version ?? '';
  }

  /** What streams and consumers there are. Nothing is asked before something is. */
  manager(): Promise<JetStreamManager> {
    this.#manager ??= import('@nats-io/jetstream').then(({ jetstreamManager }) =>
      jetstreamManager(this.client, { timeout: this.timeout, checkAPI: false }),
    );
    return this.#manager;
  }

  /**
   * Asks over a subject, within the time of the connector. What answers may have another subject than the one that was
   * given for the answer, as messages of a stream have.
   */
  async ask(subject: string, body: string): Promise<Msg> {
    const { createInbox } = await import('@nats-io/transport-node');
    const [reply, answer] = [createInbox(), Promise.withResolvers<Msg>()];
    // A request of the library reads headers, and ends the connection where it refuses one.
    this.client.subscribe(reply, {
      max: 1,
      timeout: this.timeout,
      callback: (error, message) => (error === null ? answer.resolve(message) : answer.reject(error)),
    });
    this.client.publish(subject, body, { reply });
    return answer.promise;
  }

  /**
   * Says something over the subject that a message of a stream is acknowledged over. What is said in one turn of the event
   * loop is sent at once: the client would write each by itself.
   */
  say(reply: string, text: Uint8Array): void {
    if (this.#said.length === 0) setImmediate(() => this.#sendSaid());
    this.#said.push(reply, text);
  }

  #sendSaid(): void {
    const said = this.#said;
    if (said.length === 0) return;
    this.#said = [];
    if (this.client.isClosed()) return;
    for (let at = 0; at < said.length; at += 2) this.client.publish(said[at] as string, said[at + 1] as Uint8Array);
  }

  /** Resolves when the server has read everything that was sent before. Rejects when the connection ends before. */
  async flush(): Promise<void> {
    this.#sendSaid();
    await withinTime(this.timeout, () => this.client.flush());
  }

  /** What was sent reaches the server before the connection ends. */
  async close(): Promise<void> {
    this.#sendSaid();
    if (this.isOpen) await this.client.flush();
    await this.client.close();
  }

  destroy(): void {
    void this.client.close().catch(() => undefined);
    this.#socket.destroy();
  }
}

/**
 * The name in the certificate is that of the host, or the one that is expected. The library has no name for an address of
 * numbers, and Node then takes `localhost`.
 */
function secured(server: string, tls: TlsMaterial): object {
  const expected = tls.servername ?? server.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  return {
    ...tls,
    checkServerIdentity: (_: string, certificate: PeerCertificate) => checkServerIdentity(expected, certificate),
  };
}
