import type { Channel } from '@svc/protocol/wire';
import type { Bridge } from '../../../shared/services.ts';

interface Line {
  take: ((text: string) => void) | undefined;
  early: string[];
  readonly over: PromiseWithResolvers<void>;
}

/** Connections to debug endpoints, opened by the host: the window itself opens no socket to a service. */
export class DebugRelay {
  readonly #bridge: Pick<Bridge, 'call' | 'on'>;
  readonly #lines = new Map<string, Line>();

  constructor(bridge: Pick<Bridge, 'call' | 'on'>) {
    this.#bridge = bridge;
    bridge.on('debug.texts', ({ id, texts }) => {
      const line = this.#line(id);
      if (line.take === undefined) line.early.push(...texts);
      else for (const text of texts) line.take(text);
    });
    bridge.on('debug.closed', ({ id }) => {
      this.#line(id).over.resolve();
      this.#lines.delete(id);
    });
  }

  /**
   * Rejects with the reason when the endpoint cannot be reached or refuses. `resumed`: the channel of the page before,
   * which was loaded again.
   */
  async dial(address: string, token: string | undefined): Promise<Channel & { readonly resumed: boolean }> {
    const { id, resumed } = await this.#bridge.call('debug.dial', { address, token }).catch((error: unknown) => {
      // An error of the host is not an error of the service: it must not look as if the service had refused.
      throw new Error(error instanceof Error ? error.message : String(error));
    });
    const line = this.#line(id);
    return {
      resumed,
      send: (text) => void this.#bridge.call('debug.send', { id, text }).catch(() => line.over.resolve()),
      receive: (take) => {
        line.take = take;
        for (const text of line.early.splice(0)) take(text);
      },
      close: () => {
        void this.#bridge.call('debug.close', { id }).catch(() => undefined);
        line.over.resolve();
        this.#lines.delete(id);
      },
      closed: line.over.promise,
    };
  }

  #line(id: string): Line {
    let line = this.#lines.get(id);
    if (line === undefined) {
      line = { take: undefined, early: [], over: Promise.withResolvers() };
      this.#lines.set(id, line);
    }
    return line;
  }
}
