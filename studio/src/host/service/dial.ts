import { randomUUID } from 'node:crypto';
import WebSocket from 'ws';
import type { ServiceResult } from '../../shared/services.ts';
import type { Emit, HostServices } from '../host.ts';

const most = 16;
const largestText = 16 * 1024 * 1024;
/** Characters that are handed over at once. */
const mostTogether = 256 * 1024;
/** Bytes that may wait for a peer that does not read. */
const mostWaiting = 32 * 1024 * 1024;
const longestOpening = 10_000;

/** Sockets to debug endpoints. They refuse pages, so the host dials and carries texts both ways. */
export class Dialer {
  readonly services: Pick<HostServices, 'debug.dial' | 'debug.release' | 'debug.send' | 'debug.close'> = {
    'debug.dial': ({ address, token }) => this.#dial(debugAddress(address), token),
    'debug.release': async () => {
      this.releaseAll();
      return {};
    },
    'debug.send': async ({ id, text }) => {
      const socket = this.#sockets.get(id);
      if (socket === undefined || socket.readyState !== WebSocket.OPEN) throw new Error('the connection is closed');
      if (socket.bufferedAmount > mostWaiting) {
        socket.terminate();
        throw new Error('the service does not read what it is sent');
      }
      socket.send(text);
      // The page that it belongs to is back.
      this.#left.delete(id);
      return {};
    },
    'debug.close': async ({ id }) => {
      this.#sockets.get(id)?.close(1000);
      return {};
    },
  };
  readonly #sockets = new Map<string, WebSocket>();
  /** Sockets of a page that left, with their addresses: what they hold stays held until a page comes back. */
  readonly #left = new Map<string, string>();
  readonly #addresses = new Map<string, string>();
  readonly #emit: Emit;
  readonly #tokenFor: (address: string) => string | undefined;
  #opening = 0;

  /** `tokenFor` knows the token of a service that this host started. */
  constructor(emit: Emit, tokenFor: (address: string) => string | undefined) {
    this.#emit = emit;
    this.#tokenFor = tokenFor;
  }

  closeAll(): void {
    for (const socket of this.#sockets.values()) socket.terminate();
    this.#sockets.clear();
    this.#left.clear();
  }

  /** The page went away, and may come back: its sockets stay open, and so does what they hold in the service. */
  pageLeft(): void {
    for (const id of this.#sockets.keys()) this.#left.set(id, this.#addresses.get(id) as string);
  }

  /** Closes the sockets of a page that left. */
  releaseAll(): void {
    for (const id of this.#left.keys()) this.#sockets.get(id)?.close(1000);
    this.#left.clear();
  }

  async #dial(address: string, given: string | undefined): Promise<ServiceResult<'debug.dial'>> {
    const kept = [...this.#left].find(([, own]) => own === address)?.[0];
    if (kept !== undefined) this.#left.delete(kept);
    this.releaseAll();
    if (kept !== undefined) return { id: kept, address, resumed: true };
    if (this.#sockets.size + this.#opening >= most) throw new Error(`${most} connections are open already`);
    this.#opening++;
    try {
      const socket = await open(address, given ?? this.#tokenFor(address));
      const id = randomUUID();
      this.#sockets.set(id, socket);
      this.#addresses.set(id, address);
      this.#relay(id, socket);
      return { id, address, resumed: false };
    } finally {
      this.#opening--;
    }
  }

  #relay(id: string, socket: WebSocket): void {
    let texts: string[] = [];
    let length = 0;
    const handOver = () => {
      if (texts.length > 0) this.#emit('debug.texts', { id, texts });
      texts = [];
      length = 0;
    };
    socket.on('message', (data, isBinary) => {
      if (isBinary) return socket.close(1003, 'text frames only');
      const text = String(data);
      if (texts.length === 0) setImmediate(handOver);
      texts.push(text);
      length += text.length;
      if (length > mostTogether) handOver();
    });
    socket.on('close', (code, reason) => {
      handOver();
      this.#left.delete(id);
      this.#addresses.delete(id);
      if (this.#sockets.delete(id)) this.#emit('debug.closed', { id, code, reason: String(reason) });
    });
    // Texts that came with the handshake waited until a listener is set.
    socket.resume();
  }
}

/** `host:port` is a service's admin port; a URL is taken as it is. Throws when it is neither. */
export function debugAddress(written: string): string {
  const text = written.trim();
  const url = text.includes('://') ? text : `ws://${text}/debug`;
  const address = text !== '' && URL.canParse(url) ? new URL(url) : undefined;
  if (address === undefined || (address.protocol !== 'ws:' && address.protocol !== 'wss:') || address.username !== '')
    throw new Error(`"${written}" is not the address of a debugger: write host:port, or ws://host:port/debug`);
  address.hash = '';
  return address.href;
}

function open(address: string, token: string | undefined): Promise<WebSocket> {
  if (token !== undefined && !/^[\x21-\x7e]{1,512}$/.test(token))
    return Promise.reject(new Error('a token has no blanks and no special characters'));
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(address, {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      followRedirects: false,
      handshakeTimeout: longestOpening,
      maxPayload: largestText,
      perMessageDeflate: false,
    });
    socket.once('open', () => {
      socket.pause();
      resolve(socket);
    });
    socket.once('unexpected-response', (request, { statusCode = 0 }) => {
      request.destroy();
      reject(new Error(refusals[statusCode] ?? `${address} answered ${statusCode}: no debugger is there`));
    });
    // Stays: an error of an open connection is followed by its end, which is reported.
    socket.on('error', (error) => reject(new Error(`${address}: ${error.message || 'cannot be reached'}`)));
  });
}

const refusals: Readonly<Record<number, string>> = {
  401: 'the service asks for its debug token, or the one that was given is wrong',
  403: 'the service refuses to be debugged from here',
  404: 'the service does not let itself be debugged: start it with --debug',
};
