import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type pg from 'pg';
import { FrameLimit } from '../../../../platform/net/frame-limit.ts';
import type { Address } from '../../server/address.ts';
import { keepAliveAfter } from '../../server/liveness.ts';
import { GuardedClient } from '../guarded-client.ts';
import { destroy, session } from '../pool.ts';

/** What every connection to the server is made with. */
export interface LinkOptions {
  readonly address: Address;
  readonly ssl: false | ConnectionOptions;
  /** How the connections of one connector in one process are called at the server. */
  readonly application: string;
  /** Largest message of the server, in bytes. */
  readonly maxMessage: number;
}

/** The parts of a client that its declared type leaves out. */
export interface Internals {
  readonly processID: number | null;
  readonly connection: {
    readonly stream: Socket;
    attachListeners(stream: Socket): void;
    on(event: 'copyData', listener: (message: { readonly chunk: Buffer }) => void): void;
    once(event: 'replicationStart', listener: () => void): void;
    sendCopyFromChunk(chunk: Buffer): void;
  };
}

export const internals = (client: pg.Client) => client as unknown as Internals;

/** A client that ends its connection before a message that is too large has come. */
class BoundedClient extends GuardedClient {
  constructor(config: pg.ClientConfig, mostBytes: number) {
    super(config);
    const { connection } = internals(this);
    const attach = connection.attachListeners.bind(connection);
    connection.attachListeners = (stream) => {
      const limit = new FrameLimit({ most: mostBytes, before: 1, countsItself: true });
      stream.on('data', (piece: Buffer) => {
        if (limit.admits(piece)) return;
        stream.destroy(new Error(`the server sent a message of more than ${mostBytes} bytes (max_message)`));
      });
      attach(stream);
    };
  }
}

/**
 * Connects; `lost` is called once when the connection is gone. With `replicates` it takes the commands of replication too.
 * Rejects with the error of the library, or with the reason of the signal.
 */
export async function openLink(
  { address, ssl, application, maxMessage }: LinkOptions,
  replicates: boolean,
  lost: (reason: string) => void,
  signal: AbortSignal,
): Promise<pg.Client> {
  signal.throwIfAborted();
  const written = {
    host: address.host,
    port: address.port,
    database: address.database,
    user: address.user,
    // A function, since the library would look for an absent password in the environment and in files.
    password: () => {
      if (address.password === undefined) throw new Error('the server asks for a password and none is written');
      return address.password;
    },
    ssl,
    application_name: application,
    connectionTimeoutMillis: address.connectTimeout,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfter,
    ...(replicates && { replication: 'database' }),
  };
  const client = new BoundedClient(written, maxMessage);
  let reason = 'the server closed the connection';
  client.on('error', (error: Error) => {
    reason = error.message;
  });
  const abort = () => destroy(client);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await client.connect();
    await client.query({ text: session, query_timeout: address.connectTimeout } as pg.QueryConfig);
    signal.throwIfAborted();
    client.once('end', () => lost(reason));
    return client;
  } catch (error) {
    destroy(client);
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Ends a connection gracefully, as far as the server takes part. Never rejects. */
export async function closeLink(client: pg.Client): Promise<void> {
  await client.end().catch(() => undefined);
}
