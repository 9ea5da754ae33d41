import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { until } from '../../support/until.ts';
import { migrate, type Scenario, startScenario } from '../scenario.ts';

const folder = join(import.meta.dirname, '..', '..', '..', 'examples', 'live-board');

let service: Scenario;

beforeAll(async () => {
  service = await startScenario(folder, {
    prepare: (directory) => migrate(directory, ['db']),
  });
});

afterAll(() => service?.end());

class Client {
  readonly frames: unknown[] = [];
  readonly socket: WebSocket;
  code: number | undefined;

  constructor(user: string, password = `${user}-secret`, query = '') {
    const headers = { authorization: `Basic ${btoa(`${user}:${password}`)}` };
    this.socket = new WebSocket(`${service.address.replace('http', 'ws')}/ws${query}`, { headers });
    this.socket.on('message', (data) => this.frames.push(JSON.parse(String(data))));
    this.socket.on('close', (code) => (this.code = code));
    this.socket.on('error', () => undefined);
  }

  async open(): Promise<this> {
    await new Promise((resolve, reject) => {
      this.socket.once('open', resolve);
      this.socket.once('unexpected-response', (_, { statusCode }) => reject(new Error(String(statusCode))));
    });
    return this;
  }

  send(frame: object): void {
    this.socket.send(JSON.stringify(frame));
  }
}

const note = (text: string, author: string, board = 'public') => ({
  type: 'message',
  data: { board, text, author },
  room: board,
});

test('requests and live connections share a port: a note that is posted is seen by who looks at its board', async () => {
  const [ann, ben] = [await new Client('ann').open(), await new Client('ben').open()];
  for (const client of [ann, ben]) client.send({ type: 'join_room', room: 'public' });
  ben.send({ type: 'join_room', room: 'of-ann' });
  ann.send({ type: 'join_room', room: 'of-ann' });
  await until(() => ben.frames.length === 1);
  expect(ben.frames).toEqual([{ type: 'error', message: 'join_room was refused', code: 'permission_denied' }]);
  // What a client was answered says that what it sent before was done.
  ann.send({ type: 'nothing' });
  await until(() => ann.frames.length === 1);
  ann.frames.length = ben.frames.length = 0;
  for (const board of ['of-ann', 'public'])
    expect((await service.ask('POST', `/boards/${board}/notes`, { text: 'hi' })).status).toBe(200);
  await until(() => ann.frames.length === 2 && ben.frames.length === 1);
  expect([ann.frames, ben.frames]).toEqual([
    [note('hi', 'request', 'of-ann'), note('hi', 'request')],
    [note('hi', 'request')],
  ]);
  ann.frames.length = ben.frames.length = 0;
  ann.send({ type: 'message', data: { text: 'yo', user_id: 'ben' } });
  await until(() => ben.frames.length === 1);
  expect(ben.frames).toEqual([note('yo', 'ann')]);
  ben.send({ type: 'whisper', data: { to: 'ann', text: 'psst' } });
  const whispered = { type: 'message', data: { text: 'psst', author: 'ben' } };
  await until(() => ann.frames.some((frame) => JSON.stringify(frame) === JSON.stringify(whispered)));
  expect(ben.frames).toEqual([note('yo', 'ann')]);
  for (const client of [ann, ben]) client.socket.close();
});

test('a wrong password and a path of requests open no connection, and requests are answered as ever', async () => {
  await expect(new Client('ann', 'wrong').open()).rejects.toThrow('401');
  expect((await service.ask('GET', '/ws')).status).not.toBe(200);
  expect((await service.ask('GET', '/boards/public/notes')).status).toBe(200);
});

test('R-17, A-07: fifty reloads: connections stay open, every message is answered once, the last by the last flows', async () => {
  const client = await new Client('ann').open();
  const idle = await new Client('ben').open();
  client.send({ type: 'join_room', room: 'public' });
  const text = readFileSync(join(folder, 'flows', 'live.hcl'), 'utf8');
  let sent = 0;
  const authors = () => client.frames.filter((frame) => 'room' in (frame as object));
  for (let round = 1; round <= 50; round++) {
    const before = (await service.metric('svc_reloads_total')) ?? 0;
    service.write('flows/live.hcl', text.replace('author = "auth.user_id"', `author = "auth.user_id + '-${round}'"`));
    while (((await service.metric('svc_reloads_total')) ?? 0) === before) {
      sent++;
      client.send({ type: 'message', data: { text: String(sent) } });
      await until(() => authors().length === sent);
    }
  }
  sent++;
  client.send({ type: 'message', data: { text: String(sent) } });
  await until(() => authors().length === sent);
  const texts = authors().map((frame) => (frame as ReturnType<typeof note>).data.text);
  expect(texts).toEqual(Array.from({ length: sent }, (_, at) => String(at + 1)));
  expect(authors().at(-1)).toEqual(note(String(sent), 'ann-50'));
  expect([client.code, idle.code]).toEqual([undefined, undefined]);
  for (const each of [client, idle]) each.socket.close();
});

test('R-84: a service that stops says so to its clients, and ends in order', async () => {
  const client = await new Client('ann').open();
  const { code } = await service.stop('SIGTERM');
  await until(() => client.code !== undefined);
  expect([client.code, code]).toEqual([1001, 0]);
});
