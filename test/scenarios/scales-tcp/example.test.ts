import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { until } from '../../support/until.ts';
import { migrate, type Scenario, startScenario } from '../scenario.ts';

const folder = join(import.meta.dirname, '..', '..', '..', 'examples', 'scales-tcp');
const timestamp = expect.any(Number) as number;

let port: number;
let service: Scenario;

async function start(): Promise<void> {
  port = await freePort();
  service = await startScenario(folder, {
    env: { SCALES_PORT: String(port) },
    prepare: (directory) => migrate(directory, ['db']),
  });
}

beforeAll(start);
afterAll(() => service?.end());

/** A scale: it keeps its connection, and what it was answered. */
class Scale {
  readonly answers: Record<string, unknown>[] = [];
  readonly socket: Socket;
  isOver = false;
  #bytes = Buffer.alloc(0);

  constructor() {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => (this.isOver = true));
    this.socket.on('data', (piece: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, piece]);
      while (this.#bytes.length >= 4 && this.#bytes.length >= 4 + this.#bytes.readUInt32BE(0)) {
        const end = 4 + this.#bytes.readUInt32BE(0);
        this.answers.push(JSON.parse(String(this.#bytes.subarray(4, end))) as Record<string, unknown>);
        this.#bytes = this.#bytes.subarray(end);
      }
    });
  }

  async open(): Promise<this> {
    await once(this.socket, 'connect');
    return this;
  }

  weigh(id: string, data: unknown): void {
    const body = Buffer.from(JSON.stringify({ type: 'weigh', id, data }));
    const head = Buffer.alloc(4);
    head.writeUInt32BE(body.length);
    this.socket.write(Buffer.concat([head, body]));
  }
}

test('what scales weigh is answered, kept and listed; what is wrong is explained', async () => {
  const scale = await new Scale().open();
  scale.weigh('1', { item: 'pears', grams: 800 });
  await until(() => scale.answers.length === 1);
  scale.weigh('2', { grams: 800 });
  await until(() => scale.answers.length === 2);
  expect(scale.answers[0]).toEqual({ type: 'response', id: '1', data: { label: 'pears: 800 g' }, timestamp });
  expect(scale.answers[1]).toEqual({
    type: 'error',
    id: '2',
    error: expect.stringContaining('item'),
    code: 'input_invalid',
    data: { fields: [{ field: 'item', code: 'required', message: 'is required' }] },
    timestamp,
  });
  expect((await service.ask('GET', '/weighings')).body).toEqual([{ id: 1, item: 'pears', grams: 800 }]);
  scale.socket.destroy();
});

test('R-17, A-07: fifty reloads: a connection stays open, and every message is answered once', async () => {
  const scale = await new Scale().open();
  const text = readFileSync(join(folder, 'flows', 'weigh.hcl'), 'utf8');
  let sent = 0;
  for (let round = 1; round <= 50; round++) {
    const before = (await service.metric('svc_reloads_total')) ?? 0;
    service.write('flows/weigh.hcl', text.replace("' g'", `' g of ${round}'`));
    while (((await service.metric('svc_reloads_total')) ?? 0) === before)
      scale.weigh(String(++sent), { item: 'figs', grams: 1 });
  }
  scale.weigh(String(++sent), { item: 'figs', grams: 1 });
  await until(() => scale.answers.length === sent);
  expect(new Set(scale.answers.map(({ id }) => id)).size).toBe(sent);
  expect(scale.answers.find(({ id }) => id === String(sent))?.['data']).toEqual({ label: 'figs: 1 g of 50' });
  expect(scale.isOver).toBe(false);
  scale.socket.destroy();
});

/** Twenty clients that weigh twenty times each; half of them leave in the middle. */
async function weighAndLeave(): Promise<Scale[]> {
  const scales = await Promise.all(Array.from({ length: 20 }, () => new Scale().open()));
  for (const [at, scale] of scales.entries())
    for (let id = 0; id < 20; id++) scale.weigh(`${at}-${id}`, { item: 'figs', grams: 1 });
  for (const { socket } of scales.slice(10)) socket.destroy();
  return scales;
}

test('R-39: a signal, with clients that leave in the middle: it ends in order', async () => {
  const scales = await weighAndLeave();
  expect((await service.stop('SIGTERM')).code).toBe(0);
  expect(service.log).not.toMatch(/unhandled|uncaught/i);
  await until(() => scales.every(({ isOver }) => isOver));
});

test('R-39: signals that come twice, with clients that leave in the middle: it ends without noise', async () => {
  await service.end();
  await start();
  const scales = await weighAndLeave();
  const ended = service.stop('SIGTERM');
  process.kill(service.pid, 'SIGTERM');
  // The kernel may deliver both as one, which is a stop in order; a second that is seen ends the service at once.
  expect([0, 143]).toContain((await ended).code);
  expect(service.log).not.toMatch(/unhandled|uncaught/i);
  await until(() => scales.every(({ isOver }) => isOver));
});
