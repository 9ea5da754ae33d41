import type { ClientOptions, WebSocket } from 'ws';
import { messageBudget } from '../../../../platform/formats/budget.ts';
import { decodeJson } from '../../../../platform/formats/json.ts';
import { textOf } from '../../../../platform/net/connection.ts';

/** How one socket is made. */
export interface SocketOptions {
  readonly headers: ReadonlyMap<string, string>;
  readonly connectTimeout: number;
  /** Bytes of one message that the server sends. */
  readonly mostBytes: number;
  readonly tls: ClientOptions | undefined;
  /** Called with the reason when a message cannot be read; the socket ends. */
  readonly unreadable: (reason: string) => void;
}

/**
 * The class of sockets that the client library makes. Redirects are not followed. Messages are decoded within the budget of
 * messages, exact and without prototypes, before the library sees them.
 */
export async function socketClass(
  options: SocketOptions,
): Promise<new (address: string, protocols?: string | string[]) => WebSocket> {
  const { WebSocket } = await import('ws');
  const { headers, connectTimeout, mostBytes, tls, unreadable } = options;
  return class extends WebSocket {
    constructor(address: string | URL, protocols?: string | string[]) {
      super(address, protocols, {
        ...tls,
        headers: Object.fromEntries(headers),
        handshakeTimeout: connectTimeout,
        maxPayload: mostBytes,
        followRedirects: false,
        perMessageDeflate: false,
      });
    }

    override addEventListener(type: never, listener: never, settings?: never): void {
      if ((type as string) !== 'message') return super.addEventListener(type, listener, settings);
      const decoding = ({ data }: { readonly data: unknown }) => {
        let message: unknown;
        try {
          message = decodeJson(String(data), messageBudget);
        } catch (error) {
          unreadable(textOf(error));
          this.terminate();
          return;
        }
        // A text would be decoded a second time.
        (listener as (event: { readonly data: unknown }) => void)({
          data: typeof message === 'string' ? undefined : message,
        });
      };
      super.addEventListener(type, decoding as never, settings);
    }
  };
}
