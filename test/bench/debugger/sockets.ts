import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type WebSocket, WebSocketServer } from 'ws';
import { entryPoint, timed, turn, withDebugger } from './service.ts';

interface Client {
  readonly process: ChildProcess;
  /** What it says next. */
  readonly said: <T>() => Promise<T>;
  readonly end: () => Promise<void>;
}

async function startClient(mode: 'read' | 'next' | 'echo', url: string): Promise<Client> {
  const child = fork(join(import.meta.dirname, 'client.ts'), [mode, url]);
  const heard: unknown[] = [];
  let wake = (): void => undefined;
  child.on('message', (message) => {
    heard.push(message);
    wake();
  });
  const said = async <T>(): Promise<T> => {
    while (heard.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    return heard.shift() as T;
  };
  const end = async () => {
    child.disconnect();
    await once(child, 'exit');
  };
  await said();
  return { process: child, said, end };
}

async function serveDebugger() {
  const server = createServer().on('upgrade', (request, socket, head) => entryPoint.upgrade(request, socket, head));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: addressOf(server), close: () => server.close() };
}

function addressOf(server: { address(): unknown }): string {
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function serveBare(serve: (socket: WebSocket) => void) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  server.on('connection', serve);
  await once(server, 'listening');
  return { url: addressOf(server), close: () => server.close() };
}

interface Reading {
  /** Texts a second that the client has read. */
  readonly rate: number;
  /** Texts that were left out, for each that was read. */
  readonly left: number;
  /** Nanoseconds of one round of work. */
  readonly cost: number;
}

interface Count {
  readonly count: number;
  readonly left: number;
}

/** What a client reads while `work` is done again and again for some seconds, half of them as a warm-up. */
async function reading(client: Client, seconds: number, work: () => Promise<number>): Promise<Reading> {
  const count = async (): Promise<Count> => {
    client.process.send('count');
    return client.said<Count>();
  };
  const run = async () => {
    const [before, began] = [await count(), performance.now()];
    const costs: number[] = [];
    while (performance.now() - began < seconds * 500) costs.push(await work());
    const after = await count();
    const passed = (performance.now() - began) / 1_000;
    const read = after.count - before.count;
    return {
      rate: read / passed,
      left: (after.left - before.left) / read,
      cost: costs.sort((a, b) => a - b)[costs.length >> 1] as number,
    };
  };
  await run();
  return run();
}

/** Flows as fast as they go, each event sent to a client that reads. */
export async function readEvents(seconds: number): Promise<Reading> {
  const { url, close } = await serveDebugger();
  const client = await startClient('read', url);
  const read = await reading(client, seconds, () => timed(withDebugger.many, 1_024));
  await client.end();
  close();
  return read;
}

/** The same texts from a server that does nothing else: each is sent as soon as there is room. */
export async function readBare(seconds: number, texts: readonly string[]): Promise<Reading> {
  const opened = Promise.withResolvers<WebSocket>();
  const { url, close } = await serveBare((socket) => opened.resolve(socket));
  const client = await startClient('read', url);
  const socket = await opened.promise;
  const read = await reading(client, seconds, async () => {
    const began = process.hrtime.bigint();
    for (let round = 0; round < 64; round++) {
      for (const text of texts) socket.send(text);
      while (socket.bufferedAmount > 262_144) await turn();
    }
    await turn();
    return Number(process.hrtime.bigint() - began) / 64;
  });
  await client.end();
  close();
  return read;
}

export interface Trips {
  /** Microseconds. */
  readonly median: number;
  readonly p99: number;
}

/** From `debug.next` to the next stop. */
export async function nextTrips(): Promise<Trips> {
  const { url, close } = await serveDebugger();
  const client = await startClient('next', url);
  let isOver = false;
  const measured = client.said<Trips>().finally(() => (isOver = true));
  while (!isOver) {
    await withDebugger.one();
    await turn();
  }
  const trips = await measured;
  await client.end();
  close();
  return trips;
}

/** The same of a text and its echo. */
export async function echoTrips(): Promise<Trips> {
  const { url, close } = await serveBare((socket) => socket.on('message', (data) => socket.send(String(data))));
  const client = await startClient('echo', url);
  const trips = await client.said<Trips>();
  await client.end();
  close();
  return trips;
}
