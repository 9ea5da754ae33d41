import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { readAsset, safeHeaders } from '../assets.ts';
import { Access } from './access.ts';
import { type WindowOptions, Windows } from './windows.ts';

export interface BrowserHostOptions extends WindowOptions {
  /** What was built of the studio: `index.html` and what it loads. */
  readonly rendererDirectory: string;
  /** Port of 127.0.0.1; the system chooses one when it is absent. */
  readonly port?: number | undefined;
  /** Milliseconds that folder and service are kept for a page that is loaded again. Default: 30,000. */
  readonly grace?: number | undefined;
}

export interface BrowserHost {
  /** With the token that lets in one browser, once. */
  readonly url: string;
  /** Ends every service that was started. */
  close(): Promise<void>;
}

/** Bytes of the largest text that a page may send: a file of 5 MiB, written as JSON. */
const largestText = 16 * 1024 * 1024;
const standardGrace = 30_000;

/** Serves the studio to browsers of this machine. Rejects when it is not built or the port cannot be had. */
export async function startBrowserHost(options: BrowserHostOptions): Promise<BrowserHost> {
  const { rendererDirectory, port = 0, grace = standardGrace, ...windowOptions } = options;
  if (!existsSync(join(rendererDirectory, 'index.html')))
    throw new Error(`the studio is not built: there is no index.html in ${rendererDirectory}`);
  const server = createServer();
  const bound = await listen(server, port);
  const access = new Access(bound);
  const windows = new Windows(windowOptions, grace);
  const sockets = new WebSocketServer({ noServer: true, maxPayload: largestText, perMessageDeflate: false });
  server.on('request', (request, response) => void answer(request, response, access, rendererDirectory));
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    const isAllowed = request.url === '/bridge' && access.isFromUs(request) && access.hasSession(request);
    if (!isAllowed) return refuse(socket);
    sockets.handleUpgrade(request, socket, head, (opened) => windows.serve(opened));
  });
  return {
    url: `http://127.0.0.1:${bound}/?token=${access.token}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      await windows.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  access: Access,
  directory: string,
): Promise<void> {
  const say = (status: number, text: string, headers: Record<string, string> = {}) => {
    const all = {
      ...safeHeaders,
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      ...headers,
    };
    response.writeHead(status, all).end(`${text}\n`);
  };
  const { method, url = '/' } = request;
  if (!access.isForUs(request)) return say(421, 'This is not the address of the studio.');
  if (method !== 'GET' && method !== 'HEAD') return say(405, 'Only reading is possible here.', { allow: 'GET, HEAD' });
  const address = URL.canParse(url, 'http://studio') ? new URL(url, 'http://studio') : undefined;
  if (address === undefined) return say(400, 'This is not an address.');
  const token = address.pathname === '/' ? address.searchParams.get('token') : null;
  if (access.hasSession(request)) {
    if (token !== null) return say(303, 'Here.', { location: '/' });
    const asset = await readAsset(directory, address.pathname);
    // Browsers ask for it unasked; a page without one would look broken in their consoles.
    if (asset === undefined && address.pathname === '/favicon.ico')
      return void response.writeHead(204, safeHeaders).end();
    if (asset === undefined) return say(404, 'There is nothing here.');
    response.writeHead(200, { ...asset.headers, 'content-length': String(asset.bytes.length) });
    return void response.end(method === 'HEAD' ? undefined : asset.bytes);
  }
  const cookie = token === null || method !== 'GET' ? undefined : access.exchange(token);
  if (cookie !== undefined) return say(303, 'Here.', { location: '/', 'set-cookie': cookie });
  say(403, 'Open the address that svc studio printed. It lets in one browser, once; start it again for another.');
}

function refuse(socket: Duplex): void {
  socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
}
