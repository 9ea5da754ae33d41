import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Server, ServerCredentials, type ServerWritableStream } from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { migrate, type Scenario, startScenario } from '../scenario.ts';

type Stream = ServerWritableStream<Buffer, Buffer>;

const folder = import.meta.dirname;
const { root } = protobuf.parse(readFileSync(join(folder, 'proto', 'feed.proto'), 'utf8'), { keepCase: true });
const [wanted, event] = [root.lookupType('feed.Wanted'), root.lookupType('feed.Event')];
const asIs = (bytes: Buffer) => bytes;

/** A server of the library alone, which sends numbered events to those who watch and keeps none. */
class Feed {
  readonly #server = new Server();
  readonly #streams = new Set<Stream>();
  port = 0;
  /** Streams that were begun, with what each asked for. */
  readonly begun: string[] = [];
  /** The number of the last event. */
  last = 0;

  async start(): Promise<void> {
    const watch = (stream: Stream) => {
      this.begun.push((wanted.decode(stream.request) as unknown as { readonly topic: string }).topic);
      this.#streams.add(stream);
      stream.on('cancelled', () => this.#streams.delete(stream));
      stream.on('close', () => this.#streams.delete(stream));
    };
    this.#server.register('/feed.Feed/Watch', watch, asIs, asIs, 'serverStream');
    this.port = await new Promise((resolve, reject) =>
      this.#server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
        error === null ? resolve(port) : reject(error),
      ),
    );
  }

  get watchers(): number {
    return this.#streams.size;
  }

  send(count = 1): void {
    for (let left = count; left > 0; left--) {
      const id = ++this.last;
      const bytes = Buffer.from(event.encode({ id, text: `event ${id}` }).finish());
      for (const stream of this.#streams) stream.write(bytes);
    }
  }

  close(): void {
    this.#server.forceShutdown();
  }
}

let feed: Feed;
let service: Scenario;

beforeEach(async () => {
  feed = new Feed();
  await feed.start();
  service = await startScenario(folder, {
    env: { FEED: `127.0.0.1:${feed.port}` },
    prepare: (directory) => migrate(directory, ['db']),
  });
  await until(() => feed.watchers === 1);
});
afterEach(async () => {
  await service.end();
  feed.close();
});

async function kept(from: Scenario = service): Promise<readonly number[]> {
  return ((await from.ask('GET', '/events')).body as { readonly id: number }[]).map(({ id }) => id);
}

const numbers = (until: number) => Array.from({ length: until }, (_, at) => at + 1);

test('R-17, A-07: fifty reloads: one stream stays open, and every event of it is handled once and in its order', async () => {
  const text = readFileSync(join(folder, 'flows.hcl'), 'utf8');
  for (let round = 1; round <= 50; round++) {
    const before = (await service.metric('svc_reloads_total')) ?? 0;
    service.write('flows.hcl', text.replace('= "input.text"', `= "input.text + ' of ${round}'"`));
    while (((await service.metric('svc_reloads_total')) ?? 0) === before) feed.send(3);
  }
  feed.send();
  await until(async () => (await kept()).length >= feed.last);
  expect(await kept()).toEqual(numbers(feed.last));
  expect([feed.begun, feed.watchers]).toEqual([['moves'], 1]);
  const rows = (await service.ask('GET', '/events')).body as { readonly id: number; readonly text: string }[];
  const rounds = rows.map(({ text: written }) => Number(/ of (\d+)$/.exec(written)?.[1] ?? 0));
  expect(rounds).toEqual(rounds.toSorted((a, b) => a - b));
  expect(rounds.at(-1)).toBe(50);
});

test('a flow that names another stream ends the one before, and one that is named again begins again', async () => {
  const text = readFileSync(join(folder, 'flows.hcl'), 'utf8');
  service.write('flows.hcl', text.replace('topic = "moves"', 'topic = "others"'));
  await until(() => feed.begun.length === 2 && feed.watchers === 1);
  feed.send(5);
  await until(async () => (await kept()).length === 5);
  service.write('flows.hcl', text);
  await until(() => feed.begun.length === 3 && feed.watchers === 1);
  expect(feed.begun).toEqual(['moves', 'others', 'moves']);
});

test('R-39: a signal in the middle of a stream: what was begun is kept, the stream ends, and nothing comes twice', async () => {
  feed.send(500);
  await until(async () => (await kept()).length > 0);
  const { directory } = service;
  feed.send(500);
  expect((await service.stop('SIGTERM')).code).toBe(0);
  expect(service.log).not.toMatch(/unhandled|uncaught/i);
  await until(() => feed.watchers === 0);
  const again = await startScenario(directory, { env: { FEED: `127.0.0.1:${feed.port}` } });
  try {
    await until(() => feed.watchers === 1);
    const before = await kept(again);
    // The server keeps nothing: what came is whole from its beginning.
    expect(before).toEqual(numbers(before.length));
    const first = feed.last + 1;
    feed.send(10);
    await until(async () => (await kept(again)).includes(first + 9));
    expect(await kept(again)).toEqual([...before, ...numbers(10).map((at) => first + at - 1)]);
  } finally {
    await again.end();
  }
});

test('a service that is killed in the middle of a stream has kept a beginning of it, and follows it again', async () => {
  feed.send(2_000);
  await until(async () => (await kept()).length > 0);
  const { directory } = service;
  await service.stop('SIGKILL');
  await until(() => feed.watchers === 0);
  const again = await startScenario(directory, { env: { FEED: `127.0.0.1:${feed.port}` } });
  try {
    await until(() => feed.watchers === 1);
    const before = await kept(again);
    expect(before).toEqual(numbers(before.length));
    expect(before.length).toBeGreaterThan(0);
    feed.send();
    await until(async () => (await kept(again)).includes(feed.last));
  } finally {
    await again.end();
  }
});
