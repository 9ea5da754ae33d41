import { encodeNotification, respond } from '@svc/protocol/wire';
import WebSocket from 'ws';
import { callService } from '../call.ts';
import { createHost, type Host, type HostOptions } from '../create.ts';
import type { Emit } from '../host.ts';

/** What every window's host is made of. */
export type WindowOptions = Omit<HostOptions, 'emit' | 'system'>;

const mostWindows = 16;
const mostUnderWay = 256;
/** Bytes that may wait for a page that does not read. */
const mostWaiting = 64 * 1024 * 1024;

interface Window {
  readonly host: Promise<Host>;
  socket: WebSocket | undefined;
  /** Ends the host when no page comes back. */
  timer: NodeJS.Timeout | undefined;
  leftAt: number;
}

/**
 * The hosts of all pages that are open. A page that is loaded again finds its host, with folder and service as they
 * were: a new page takes the host that was left last.
 */
export class Windows {
  readonly #options: WindowOptions;
  readonly #grace: number;
  readonly #windows = new Set<Window>();

  /** `grace` is how many milliseconds a host is kept for a page that left. */
  constructor(options: WindowOptions, grace: number) {
    this.#options = options;
    this.#grace = grace;
  }

  /** Answers a page for as long as its socket is open. */
  serve(socket: WebSocket): void {
    const left = [...this.#windows].filter((each) => each.socket === undefined).sort((a, b) => b.leftAt - a.leftAt);
    const window = left[0] ?? this.#open();
    if (window === undefined) return socket.close(1013, `${mostWindows} windows are open already`);
    clearTimeout(window.timer);
    window.socket = socket;
    let underWay = 0;
    const handle = async (name: string, params: unknown) => {
      if (underWay >= mostUnderWay) throw new Error('too many calls are under way');
      underWay++;
      try {
        return await callService((await window.host).services, name, params);
      } finally {
        underWay--;
      }
    };
    socket.on('message', (data, isBinary) => {
      if (isBinary) socket.close(1003, 'text frames only');
      else respond(String(data), handle, (text) => send(socket, text));
    });
    socket.on('error', () => undefined);
    socket.on('close', () => this.#left(window));
  }

  async close(): Promise<void> {
    const windows = [...this.#windows];
    this.#windows.clear();
    await Promise.all(
      windows.map(async ({ socket, timer, host }) => {
        clearTimeout(timer);
        socket?.terminate();
        await (await host.catch(() => undefined))?.close();
      }),
    );
  }

  #open(): Window | undefined {
    if (this.#windows.size >= mostWindows) return undefined;
    const emit: Emit = (event, params) => {
      if (window.socket !== undefined) send(window.socket, encodeNotification(event, params));
    };
    // The page has its own ways for these: it opens addresses and offers downloads itself when nothing was done.
    const system = {
      chooseFolder: async () => undefined,
      openExternal: async () => undefined,
      saveAs: async () => false,
    };
    const window: Window = {
      host: createHost({ ...this.#options, emit, system }),
      socket: undefined,
      timer: undefined,
      leftAt: 0,
    };
    // A folder that cannot be opened is said with every call.
    window.host.catch(() => undefined);
    this.#windows.add(window);
    return window;
  }

  #left(window: Window): void {
    if (!this.#windows.has(window)) return;
    window.socket = undefined;
    window.leftAt = performance.now();
    void window.host.then((host) => window.socket === undefined && host.pageLeft()).catch(() => undefined);
    window.timer = setTimeout(() => {
      this.#windows.delete(window);
      void window.host.then((host) => host.close()).catch(() => undefined);
    }, this.#grace);
    window.timer.unref();
  }
}

function send(socket: WebSocket, text: string): void {
  if (socket.readyState !== WebSocket.OPEN) return;
  if (socket.bufferedAmount > mostWaiting) socket.terminate();
  else socket.send(text);
}
