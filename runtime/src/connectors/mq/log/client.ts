import type { Admin, Assigner, Kafka, SASLOptions } from 'kafkajs';
import type { Log } from '../../../foundation/observe/log.ts';
import type { TlsMaterial } from '../../../platform/net/tls.ts';
import { codecs } from './codecs.ts';
import type { GroupClient } from './group/client.ts';
import type { Cluster } from './library.ts';
import { loadProtocol, type Protocol } from './protocol.ts';
import { type Idempotence, Identities } from './publish/identity.ts';
import { LogProducer } from './publish/producer.ts';
import { correctRequestQueue } from './request-queue.ts';
import { Sockets } from './sockets.ts';
import type { LogConfig } from './spec.ts';

/** Milliseconds in which a broker must take a connection, and answer while it signs a client in. */
const longestConnect = 5_000;

export interface ClientOptions {
  readonly addresses: readonly string[];
  readonly clientId: string;
  readonly sasl: LogConfig['sasl'];
  readonly tls: TlsMaterial | undefined;
  /** Bytes of one response, and of one record batch after it was decompressed. */
  readonly mostBytes: number;
  /** Milliseconds in which a broker must answer; the answer to a fetch may take its own wait longer. */
  readonly timeout: number;
  /** Milliseconds after which the brokers are asked again where partitions are, and whether there are others. */
  readonly metadataMaxAge: number;
  readonly log: Log;
}

/** The client library with the sockets that it opens, which can be ended at once. */
export class LogClient {
  readonly #kafka: Kafka;
  readonly #sockets: Sockets;

  readonly #protocol: Protocol;
  readonly #metadataMaxAge: number;

  readonly #mostBytes: number;
  readonly #log: Log;

  private constructor(
    kafka: Kafka,
    sockets: Sockets,
    protocol: Protocol,
    { metadataMaxAge, mostBytes, log }: Pick<ClientOptions, 'metadataMaxAge' | 'mostBytes' | 'log'>,
  ) {
    this.#log = log;
    this.#mostBytes = mostBytes;
    this.#kafka = kafka;
    this.#sockets = sockets;
    this.#protocol = protocol;
    this.#metadataMaxAge = metadataMaxAge;
  }

  /** Loads the library; connects to nothing. */
  static async make(options: ClientOptions): Promise<LogClient> {
    const { default: library } = await import('kafkajs');
    await correctRequestQueue();
    const { addresses, clientId, sasl, tls, mostBytes, timeout, log } = options;
    Object.assign(library.CompressionCodecs, codecs(mostBytes));
    const sockets = new Sockets(mostBytes);
    const kafka = new library.Kafka({
      brokers: [...addresses],
      clientId,
      ...(sasl && { sasl: signInOf(sasl) }),
      ...(tls && { ssl: { ...tls } }),
      connectionTimeout: longestConnect,
      authenticationTimeout: longestConnect,
      requestTimeout: timeout,
      // A lost connection is made again by those who know what was sent over it.
      retry: { retries: 1, initialRetryTime: 50, maxRetryTime: 200 },
      logLevel: library.logLevel.WARN,
      logCreator:
        () =>
        ({ log: { message, error } }) =>
          log.debug(String(message), { client: error ?? 'kafkajs' }),
      socketFactory: (asked) => sockets.connect(asked),
    });
    return new LogClient(kafka, sockets, await loadProtocol(), options);
  }

  /** Connects to nothing. */
  group(groupId: string): GroupClient {
    const [protocol, mostBytes] = [this.#protocol, this.#mostBytes];
    return { cluster: this.#cluster(groupId), joining: this.#cluster(groupId), protocol, mostBytes };
  }

  /** The library shows its brokers to what distributes partitions alone. */
  #cluster(groupId: string, allowAutoTopicCreation = false): Cluster {
    let shown: Cluster | undefined;
    this.#kafka.consumer({
      groupId,
      metadataMaxAge: this.#metadataMaxAge,
      allowAutoTopicCreation,
      partitionAssigners: [
        ({ cluster }) => {
          shown = cluster as unknown as Cluster;
          return unused;
        },
      ],
    });
    return shown as Cluster;
  }

  /** Connects to nothing. A topic that is sent to may be created by the broker. */
  async producer(idempotence: Idempotence): Promise<LogProducer> {
    const { default: library } = await import('kafkajs');
    const identities = new Identities(idempotence, this.#log);
    const { DefaultPartitioner } = library.Partitioners;
    return new LogProducer(this.#cluster('svc', true), this.#protocol, DefaultPartitioner, identities);
  }

  admin(): Admin {
    return this.#kafka.admin();
  }

  /** Ends every connection with a reason, which what waits for an answer fails with. Others may be made. */
  cut(reason: string): void {
    this.#sockets.cut(reason);
  }

  /** As `cut`, for good. */
  end(reason: string): void {
    this.#sockets.end(reason);
  }
}

/** The library does not join: `Membership` does. */
const unused: Assigner = {
  name: '',
  version: 0,
  assign: async () => [],
  protocol: () => ({ name: '', metadata: Buffer.alloc(0) }),
};

const mechanisms = { PLAIN: 'plain', 'SCRAM-SHA-256': 'scram-sha-256', 'SCRAM-SHA-512': 'scram-sha-512' } as const;

function signInOf({ mechanism, username, password }: NonNullable<LogConfig['sasl']>): SASLOptions {
  return { mechanism: mechanisms[mechanism], username, password } as SASLOptions;
}
