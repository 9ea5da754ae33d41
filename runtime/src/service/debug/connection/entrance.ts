import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Log } from '../../../foundation/observe/log.ts';
import { type AccessRules, refusalOf } from './access.ts';
import type { Answering } from './answering.ts';
import { refuse } from './refuse.ts';
import type { DebugSockets } from './sockets.ts';

export interface EntranceOptions {
  readonly access: AccessRules;
  readonly log: Log;
  /** Made when the first connection comes. */
  readonly answering: () => Promise<Answering>;
}

/** Takes requests to change to WebSocket, or refuses them. What serves sockets is loaded with the first that is let in. */
export class Entrance {
  readonly #options: EntranceOptions;
  #sockets: Promise<DebugSockets> | undefined;

  constructor(options: EntranceOptions) {
    this.#options = options;
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const refusal = refusalOf(request, this.#options.access);
    if (refusal !== undefined) return refuse(socket, refusal.status, refusal.reason);
    const gone = () => socket.destroy();
    socket.on('error', gone);
    this.#sockets ??= this.#listen();
    this.#sockets.then(
      (sockets) => {
        socket.off('error', gone);
        sockets.accept(request, socket, head);
      },
      (error: unknown) => {
        this.#options.log.error('the debug endpoint failed', { error });
        refuse(socket, 500, 'internal error');
      },
    );
  }

  /** Ends every connection. */
  async close(): Promise<void> {
    (await this.#sockets)?.close();
  }

  async #listen(): Promise<DebugSockets> {
    const [{ DebugSockets }, answering] = await Promise.all([import('./sockets.ts'), this.#options.answering()]);
    return new DebugSockets(answering);
  }
}
