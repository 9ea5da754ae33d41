import type { Socket } from 'node:net';
import pg from 'pg';

/** What pg reads the answers of a server from. */
type Answers = Pick<Socket, 'on'>;

/**
 * A client that loses its connection when what comes over it is not PostgreSQL. The parser of pg throws then, where no
 * caller could catch it: it would end the process.
 */
export class GuardedClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const { connection } = this as unknown as { readonly connection: { attachListeners(stream: Answers): void } };
    const attach = connection.attachListeners.bind(connection);
    connection.attachListeners = (stream) => attach(guarded(stream as Socket));
  }
}

function guarded(stream: Socket): Answers {
  const on = (event: string, listener: (piece: Buffer) => void) => {
    if (event !== 'data') return stream.on(event, listener);
    return stream.on('data', (piece: Buffer) => {
      try {
        listener(piece);
      } catch (error) {
        stream.destroy(error instanceof Error ? error : new Error(String(error)));
      }
    });
  };
  return { on } as Answers;
}
