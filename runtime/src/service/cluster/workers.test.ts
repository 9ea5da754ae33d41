import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { configuration, killRunning, portOf, startProgram } from '../../cli/testing/started.ts';
import { ask, until } from '../running/testing/fakes.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-workers-'));
});

afterEach(async () => {
  killRunning();
  await rm(directory, { recursive: true, force: true });
});

const run = (...flags: string[]) => startProgram(directory, flags);

test('several workers serve one port, are merged, replaced and rolled, and stop together', async () => {
  await writeFile(join(directory, 'main.hcl'), configuration('1'));
  const { child, ended, said, log } = run('2');
  const ready = await said('ready');
  const [api, admin] = [portOf(ready['api']), portOf(ready['admin'])];
  const asked = async (count: number) => {
    const answers = await Promise.all(Array.from({ length: count }, () => ask(api, '/')));
    return new Set(answers.map(({ body }) => body));
  };
  const first = await asked(20);
  expect(first.size).toBe(2);
  expect([...first].some((body) => body.startsWith(`${child.pid} `))).toBe(false);
  await until(async () =>
    (await ask(admin, '/metrics')).body.includes(
      'svc_requests_total{service="orders",method="GET",path="*",status="200"} 20\n',
    ),
  );
  expect(JSON.parse((await ask(api, '/health')).body)).toMatchObject({ status: 'healthy', service: 'orders' });
  expect((await ask(api, '/metrics')).body).toContain(
    'svc_requests_total{service="orders",method="GET",path="*",status="200"} 20\n',
  );

  const [victim] = [...first].map((body) => Number(body.split(' ')[0]));
  process.kill(victim as number, 'SIGKILL');
  await said('a worker died and is replaced');
  await until(async () => (await asked(10)).size === 2);

  await writeFile(join(directory, 'main.hcl'), configuration('2'));
  await said('reloaded', 3);
  expect([...(await asked(10))].every((body) => body.endsWith(' 2'))).toBe(true);

  child.kill('SIGTERM');
  expect(await ended, log()).toBe(0);
});

test('workers that cannot start end the program with 1', async () => {
  await writeFile(join(directory, 'main.hcl'), configuration('1'));
  const taken = run();
  const port = portOf((await taken.said('ready'))['api']);
  await writeFile(
    join(directory, 'main.hcl'),
    configuration('1').replace('port = 0\n}\nflow', `port = ${port}\n}\nflow`),
  );
  const { ended, lines } = run('2');
  expect(await ended).toBe(1);
  expect(lines().filter(({ level }) => level === 'ERROR')).toMatchObject([
    { msg: 'the worker cannot start', error: expect.stringContaining(`${port}`) },
  ]);
  taken.child.kill('SIGTERM');
  expect(await taken.ended).toBe(0);
});

test('a worker that dies while the files are broken is replaced by one with the configuration that serves', async () => {
  await writeFile(join(directory, 'main.hcl'), configuration('1'));
  const { child, ended, said, log } = run('2');
  const ready = await said('ready');
  const [api, admin] = [portOf(ready['api']), portOf(ready['admin'])];
  const bodies = async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask(api, '/')));
    return [...new Set(answers.map(({ body }) => body))];
  };
  const versions = async () => [...new Set((await bodies()).map((body) => body.split(' ')[1]))];
  const counted = async () =>
    Number(/svc_requests_total\{.*status="200"\} (\d+)/.exec((await ask(admin, '/metrics')).body)?.[1]);
  const before = await bodies();
  // What the first process learns with this answer is what it keeps of workers that die.
  await until(async () => (await counted()) === 12);
  await writeFile(join(directory, 'main.hcl'), 'servcie {\n}\n');
  await said('reload failed, the earlier configuration keeps serving');
  for (const body of before) {
    process.kill(Number(body.split(' ')[0]), 'SIGKILL');
    await until(async () => {
      const now = await bodies();
      return now.length === 2 && !now.includes(body);
    });
  }
  expect(await versions()).toEqual(['1']);
  expect(await counted()).toBeGreaterThanOrEqual(12);
  await writeFile(join(directory, 'main.hcl'), configuration('2'));
  await said('reloaded', 3);
  expect(await versions()).toEqual(['2']);
  child.kill('SIGTERM');
  expect(await ended, log()).toBe(0);
});

test('every new connection is answered while a worker hangs and is replaced', async () => {
  await writeFile(join(directory, 'main.hcl'), configuration('1'));
  const { child, ended, said, lines, log } = run('2');
  const started = await said('ready');
  const [api, admin] = [portOf(started['api']), portOf(started['admin'])];
  const pid = async () => Number((await ask(api, '/')).body.split(' ')[0]);
  const frozen = await pid();
  process.kill(frozen, 'SIGSTOP');
  const asked: Promise<number>[] = [];
  while (!lines().some(({ msg }) => msg === 'a worker does not answer and is killed')) {
    asked.push(...Array.from({ length: 10 }, pid));
    // It is answered when the first process no longer expects an answer of the worker: about every second.
    await ask(admin, '/metrics');
  }
  expect(asked.length).toBeGreaterThan(20);
  expect(await Promise.all(asked)).not.toContain(frozen);
  await until(async () => new Set(await Promise.all([pid(), pid(), pid(), pid()])).size === 2);
  child.kill('SIGTERM');
  expect(await ended, log()).toBe(0);
});
