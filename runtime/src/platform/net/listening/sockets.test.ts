import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type ListenOptions, type Server, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { ListeningSockets } from './sockets.ts';

const host = '127.0.0.1';
const sockets = 8;

/** A server with its sockets; `accepted` counts its connections. */
class Opened implements AsyncDisposable {
  readonly server: HttpServer = createHttpServer((_request, response) => response.end('served'));
  readonly listening = new ListeningSockets(this.server, sockets);
  accepted = 0;

  constructor() {
    this.server.on('connection', () => this.accepted++);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await this.listening.close();
  }
}

/** Another program on this machine. */
class Foreign implements AsyncDisposable {
  readonly #server: Server = createServer((socket) => socket.destroy());

  /** The port, or the code of the error. */
  async listen(options: ListenOptions): Promise<number | string> {
    const failed = once(this.#server, 'error').then(([error]) => (error as NodeJS.ErrnoException).code as string);
    this.#server.listen(options);
    return Promise.race([failed, once(this.#server, 'listening').then(() => this.#port)]);
  }

  get #port(): number {
    return (this.#server.address() as AddressInfo | null)?.port ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

/** Sockets of the machine that listen on a port of 127.0.0.1. */
function listeningOn(port: number): number {
  const address = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local === address && state === '0A').length;
}

const turnOfLoop = () => new Promise((resolve) => setImmediate(resolve));
const inUse = { code: 'EADDRINUSE' };

async function freePort(): Promise<number> {
  await using server = new Foreign();
  return (await server.listen({ host, port: 0 })) as number;
}

describe.runIf(process.platform === 'linux')('sockets that share a port', () => {
  test.each(['a port of the system', 'a port that is named'])(
    '%s: all of them listen there, and close',
    async (which) => {
      await using opened = new Opened();
      const named = which === 'a port that is named' ? await freePort() : 0;
      const { port } = await opened.listening.listen(host, named);
      if (named !== 0) expect(port).toBe(named);
      expect(listeningOn(port)).toBe(sockets);
      const answers = await Promise.all(
        Array.from({ length: 40 }, () => fetch(`http://${host}:${port}/`).then((answer) => answer.text())),
      );
      expect(new Set(answers)).toEqual(new Set(['served']));
      opened.server.closeAllConnections();
      await opened.listening.close();
      expect(listeningOn(port)).toBe(0);
    },
  );

  test('P-18: several of the connections that wait are taken in one turn of the event loop', async () => {
    await using opened = new Opened();
    const { port } = await opened.listening.listen(host, 0);
    // Another process, so that all of them wait in the system while this one does nothing.
    const callers = spawn(process.execPath, [
      '-e',
      `const { connect } = require('node:net');
      let open = 0;
      for (let at = 0; at < 64; at++)
        connect(${port}, '${host}', () => ++open === 64 && require('node:fs').writeSync(1, 'open'));`,
    ]);
    const { stdout } = callers;
    // The first are taken while the others are on their way; what counts is the most of one turn.
    let most = 0;
    let isReported = false;
    stdout.once('data', () => {
      isReported = true;
    });
    while (!isReported || opened.accepted < 64) {
      const before = opened.accepted;
      // Long enough that some wait.
      const until = performance.now() + 20;
      while (performance.now() < until);
      await turnOfLoop();
      most = Math.max(most, opened.accepted - before);
    }
    callers.kill();
    await once(callers, 'exit');
    expect(most).toBeGreaterThan(1);
  });

  test.each([{}, { reusePort: true }])('R-19: a port of another program (%j) cannot be had', async (options) => {
    await using other = new Foreign();
    await using opened = new Opened();
    const port = (await other.listen({ host: '0.0.0.0', port: 0, ...options })) as number;
    await expect(opened.listening.listen(host, port)).rejects.toMatchObject(inUse);
    expect(listeningOn(port)).toBe(0);
  });

  test('R-19: of those that begin at the same moment, one has the port', async () => {
    await using one = new Opened();
    await using two = new Opened();
    const port = await freePort();
    const results = await Promise.allSettled([one, two].map(({ listening }) => listening.listen(host, port)));
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const [winner] = [one, two].filter(({ server }) => server.listening);
    expect(await fetch(`http://${host}:${port}/`).then((answer) => answer.text())).toBe('served');
    expect(winner?.accepted).toBe(1);
  });

  test('R-19: while another process opens the port, one socket is opened, which is not shared', async () => {
    await using opening = new Foreign();
    await using opened = new Opened();
    await using late = new Foreign();
    const port = await freePort();
    await opening.listen({ path: `\0svc/listen/${port}` });
    await opened.listening.listen(host, port);
    expect(listeningOn(port)).toBe(1);
    expect(await late.listen({ host, port, reusePort: true })).toBe('EADDRINUSE');
  });

  test('R-19: the lock is held no longer than the port is opened', async () => {
    await using opened = new Opened();
    await using next = new Foreign();
    const port = await freePort();
    await opened.listening.listen(host, port);
    expect(await next.listen({ path: `\0svc/listen/${port}` })).toBe(0);
  });

  test('while they are full, all of them end connections at once', async () => {
    await using opened = new Opened();
    const { port } = await opened.listening.listen(host, 0);
    opened.listening.full = true;
    const ended = (socket: Socket) => once(socket.resume(), 'close');
    await Promise.all(Array.from({ length: 40 }, () => ended(connect(port, host).on('error', () => undefined))));
    expect(opened.accepted).toBe(0);
    opened.listening.full = false;
    expect((await fetch(`http://${host}:${port}/`)).status).toBe(200);
  });
});
