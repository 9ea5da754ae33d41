import type { Admin, Assigner, Kafka, PartitionAssigner, Producer, SASLOptions } from 'kafkajs';
import type { TlsMaterial } from '../../../net/tls.ts';
import type { Log } from '../../../observe/log.ts';
import type { LogConfig } from './brokers.ts';
import { codecs } from './codecs.ts';
import type { Cluster } from './library.ts';
import { correctRequestQueue } from './request-queue.ts';
import { Sockets } from './sockets.ts';

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
  readonly log: Log;
}

/** What takes part in a group: the brokers as a group sees them, and how partitions are distributed. */
export interface GroupClient {
  readonly cluster: Cluster;
  readonly assigner: Assigner;
}

/** The client library with the sockets that it opens, which can be ended at once. */
export class LogClient {
  readonly #kafka: Kafka;
  readonly #assigner: PartitionAssigner;
  readonly #sockets: Sockets;

  private constructor(kafka: Kafka, assigner: PartitionAssigner, sockets: Sockets) {
    this.#kafka = kafka;
    this.#assigner = assigner;
    this.#sockets = sockets;
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
    return new LogClient(kafka, library.PartitionAssigners.roundRobin, sockets);
  }

  /** Connects to nothing. The library shows its brokers to those who distribute partitions. */
  group(groupId: string): GroupClient {
    let shown: GroupClient | undefined;
    this.#kafka.consumer({
      groupId,
      allowAutoTopicCreation: false,
      partitionAssigners: [
        (options) => {
          const assigner = this.#assigner(options);
          shown = { cluster: options.cluster as unknown as Cluster, assigner };
          return assigner;
        },
      ],
    });
    return shown as GroupClient;
  }

  /** A producer that tries once. */
  async producer(): Promise<Producer> {
    const { default: library } = await import('kafkajs');
    return this.#kafka.producer({
      createPartitioner: library.Partitioners.DefaultPartitioner,
      allowAutoTopicCreation: true,
      retry: { retries: 0 },
    });
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

const mechanisms = { PLAIN: 'plain', 'SCRAM-SHA-256': 'scram-sha-256', 'SCRAM-SHA-512': 'scram-sha-512' } as const;

function signInOf({ mechanism, username, password }: NonNullable<LogConfig['sasl']>): SASLOptions {
  return { mechanism: mechanisms[mechanism], username, password } as SASLOptions;
}
