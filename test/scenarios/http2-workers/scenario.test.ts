import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { askHttp2, openHttp2 } from '../../../runtime/src/platform/http/testing/http2-caller.ts';
import { frame, RawCaller } from '../../../runtime/src/platform/http/testing/http2-frames.ts';
import { childrenOf } from '../../support/children.ts';
import { until } from '../../support/until.ts';
import { type Scenario, startScenario } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';
import { http2Load } from './load.ts';

let remote: Upstream;
/** Answers of the other service that a test has not given yet. */
let held: ServerResponse[] = [];
/** How often each number was counted there. */
const counted = new Map<number, number>();
const running: Scenario[] = [];

beforeAll(async () => {
  remote = await startUpstream();
});

beforeEach(() => {
  held = [];
  counted.clear();
  remote.react = ({ url, body }) => {
    if (url === '/slow') return (response) => void held.push(response);
    if (url === '/broken') return { status: 500, body: {} };
    const { id } = JSON.parse(body) as { id: number };
    counted.set(id, (counted.get(id) ?? 0) + 1);
    return { body: { id } };
  };
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.end()));
});

afterAll(() => remote?.close());

async function start(args: readonly string[] = [], env: Record<string, string> = {}): Promise<Scenario> {
  const service = await startScenario(import.meta.dirname, { env: { REMOTE_URL: remote.address, ...env }, args });
  running.push(service);
  return service;
}

const release = () => {
  for (const response of held.splice(0)) response.setHeader('content-type', 'application/json').end('{"done":true}');
};

const version = (value: string) =>
  readFileSync(join(import.meta.dirname, 'version.hcl'), 'utf8').replace("'0'", `'${value}'`);

/** Changes a flow and waits until requests are answered by it, by every worker. */
async function reload(service: Scenario, value: string): Promise<void> {
  service.write('version.hcl', version(value));
  await until(async () => {
    const all = Array.from({ length: 8 }, () =>
      service.ask('GET', '/version', undefined, { connection: 'close' }).then(({ text }) => text),
    );
    return (await Promise.all(all)).every((text) => text === `{"version":"${value}"}`);
  });
}

const doubled = () => [...counted].filter(([, times]) => times > 1);

describe('under load over HTTP/2', () => {
  test.each([
    ['one process', []],
    ['two workers', ['--workers', '2']],
  ])('R-85, A-07: twenty reloads of %s keep every connection, and lose or repeat nothing', async (_, args) => {
    const service = await start(args);
    const load = http2Load(service.address, 4);
    for (let round = 1; round <= 20; round++) {
      await reload(service, String(round));
      const before = load.answered;
      await until(() => load.answered > before + 20);
    }
    const { answered, repeated, untaken, lost, connections } = await load.stop();
    expect({ repeated, untaken, lost, connections, doubled: doubled(), counted: counted.size }).toEqual({
      repeated: 0,
      untaken: 0,
      lost: [],
      connections: 4,
      doubled: [],
      counted: answered,
    });
    const series = 'svc_requests_total{service="multiplexed",method="POST",path="/count",status="200"}';
    await until(async () => (await service.metric(series)) === answered);
  });

  test.each([
    ['one process', [], '0s'],
    ['one process that waits', [], '500ms'],
    ['two workers that wait', ['--workers', '2'], '500ms'],
  ])('R-81: a stop of %s answers what it has taken, and its callers may repeat the rest', async (_, args, delay) => {
    const service = await start(args, { STOP_DELAY: delay });
    const load = http2Load(service.address, 6);
    await until(() => load.answered > 200);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    // What the system holds of connections that nothing has taken is reset with the socket: their callers may repeat it too.
    const { answered, lost } = await load.stop();
    expect({ lost, doubled: doubled(), counted: counted.size }).toEqual({ lost: [], doubled: [], counted: answered });
  });
});

test('R-81: a stream that is under way when its connection is asked to end is answered to its end', async () => {
  const service = await start();
  await using session = openHttp2(service.address);
  const goAway = new Promise((resolve) => session.once('goaway', (code) => resolve(code)));
  const asked = [1, 2, 3].map(() => askHttp2(session, { ':path': '/slow' }));
  await until(() => held.length === 3);
  const ended = service.stop();
  expect(await goAway).toBe(0);
  release();
  expect((await Promise.all(asked)).map(({ status, text }) => [status, text])).toEqual(
    Array(3).fill([200, '{"done":true}']),
  );
  expect(await ended).toEqual({ code: 0, signal: null });
});

test('R-82: kill -9 of a worker breaks its connections alone, and another takes what follows', async () => {
  const service = await start(['--workers', '2']);
  const { pid } = service;
  const workers = await childrenOf(pid);
  expect(workers).toHaveLength(2);
  // Connections are spread over the workers.
  const sessions = Array.from({ length: 8 }, () => openHttp2(service.address));
  const asked = sessions.map((session) => askHttp2(session, { ':path': '/slow' }));
  await until(() => held.length === 8);
  process.kill(workers[0] as number, 'SIGKILL');
  await until(() => sessions.some(({ destroyed }) => destroyed));
  await until(async () => {
    const now = await childrenOf(pid);
    return now.length === 2 && !now.includes(workers[0] as number);
  });
  release();
  const answers = await Promise.all(asked);
  const outcomes = answers.map(({ status, text }) => `${status} ${text}`);
  const broken = outcomes.filter((outcome) => outcome === 'undefined ').length;
  expect(broken).toBeGreaterThan(0);
  expect(broken).toBeLessThan(8);
  expect(outcomes.filter((outcome) => outcome === '200 {"done":true}').length).toBe(8 - broken);
  for (let round = 0; round < 10; round++) {
    await using session = openHttp2(service.address);
    expect((await askHttp2(session, { ':path': '/version' })).text).toBe('{"version":"0"}');
  }
  for (const session of sessions) session.destroy();
  // Also when the worker that replaces it has only begun to start.
  expect(await service.stop()).toEqual({ code: 0, signal: null });
});

test('metrics and times are those of requests over HTTP/1.1', async () => {
  const service = await start();
  await using session = openHttp2(service.address);
  const count = (method: string, path: string, status: number) =>
    service.metric(`svc_requests_total{service="multiplexed",method="${method}",path="${path}",status="${status}"}`);
  const answers = await Promise.all(Array.from({ length: 50 }, () => askHttp2(session, { ':path': '/version' })));
  expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
  for (const { headers } of answers) expect(headers['server-timing']).toMatch(/^total;dur=[\d.]+/);
  expect(await count('GET', '/version', 200)).toBe(50);

  const attacker = new RawCaller(Number(new URL(service.address).port));
  await attacker.flood(() => Buffer.concat(Array.from({ length: 100 }, () => frame('ping', 0, 0, Buffer.alloc(8)))));
  expect(await service.metric('svc_connections_cut_total{connector="api",reason="frames"}')).toBe(1);
  expect(await service.metric('svc_requests_in_flight{method="GET",path="/version"}')).toBe(0);
  expect((await askHttp2(session, { ':path': '/version' })).status).toBe(200);
});

test('a failure has the id in its answer that is in the log', async () => {
  const service = await start(['--env', 'production']);
  await using session = openHttp2(service.address);
  const { status, text } = await askHttp2(session, { ':path': '/broken' });
  const { request_id: id } = JSON.parse(text) as { request_id: string };
  expect([status, text]).toEqual([500, `{"error":"Internal Server Error","request_id":"${id}"}`]);
  await until(() => service.log.includes(id));
});
