import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ask, until } from '../../service/running/testing/fakes.ts';
import { configuration, killRunning, portOf, startProgram } from '../testing/started.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-start-'));
});

afterEach(async () => {
  killRunning();
  await rm(directory, { recursive: true, force: true });
});

let ownEnvironment: Record<string, string> = {};

beforeEach(() => {
  ownEnvironment = {};
});

const run = (...flags: string[]) => startProgram(directory, flags, ownEnvironment);

test('R-19, R-39: says what listens where, reloads when a file changes and on SIGHUP, and stops with 0 on SIGTERM', async () => {
  await writeFile(join(directory, 'main.hcl'), configuration('1'));
  const { child, ended, said } = run();
  const ready = await said('ready');
  expect(ready).toMatchObject({
    level: 'INFO',
    service: 'orders',
    version: '1',
    environment: 'development',
    connectors: 1,
    flows: 1,
  });
  const [api, admin] = [portOf(ready['api']), portOf(ready['admin'])];
  expect((await ask(admin, '/health/ready')).body).toBe('{"status":"ready"}');
  expect((await ask(api, '/')).body).toBe(`${child.pid} 1`);

  await writeFile(join(directory, 'main.hcl'), configuration('2'));
  await said('reloaded');
  expect((await ask(api, '/')).body).toBe(`${child.pid} 2`);

  child.kill('SIGHUP');
  await said('reloaded', 2);

  await writeFile(join(directory, 'main.hcl'), 'servcie {\n}\n');
  const failed = await said('reload failed, the earlier configuration keeps serving');
  expect(failed['error']).toBe('the configuration has 1 error');
  expect((await ask(api, '/')).body).toBe(`${child.pid} 2`);
  expect((await ask(admin, '/metrics')).body).toContain('\nsvc_reload_failures_total 1\n');

  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});

test('a configuration with errors is shown with its place and ends with 1', async () => {
  await writeFile(join(directory, 'main.hcl'), 'servcie {\n}\n');
  ownEnvironment = { SVC_LOG_FORMAT: 'text' };
  const { ended, log } = run();
  expect(await ended).toBe(1);
  expect(log()).toContain('error[unknown-block]: there is no block "servcie"');
  expect(log()).toContain('main.hcl:1:1');
});

test('a directory without configuration is not started', async () => {
  ownEnvironment = { SVC_LOG_FORMAT: 'text' };
  const { ended, log } = run();
  expect(await ended).toBe(1);
  expect(log()).toContain('error[empty-configuration]: the directory holds no configuration');
});

test('R-85: a directory that is emptied, or removed, is a reload that fails, and is loaded when it is back', async () => {
  await writeFile(join(directory, 'main.hcl'), configuration('1'));
  const { child, ended, said, lines } = run();
  const ready = await said('ready');
  const [api, admin] = [portOf(ready['api']), portOf(ready['admin'])];
  const failures = 'reload failed, the earlier configuration keeps serving';
  const removals = [
    () => rm(join(directory, 'main.hcl')),
    () => writeFile(join(directory, 'main.hcl'), ''),
    () => rm(directory, { recursive: true }),
  ];
  for (const [index, remove] of removals.entries()) {
    const failed = () => lines().filter(({ msg }) => msg === failures).length;
    const before = failed();
    await remove();
    await until(() => failed() > before);
    expect((await ask(api, '/')).body).toBe(`${child.pid} ${index + 1}`);
    expect((await ask(admin, '/health/ready')).status).toBe(200);
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, 'main.hcl'), configuration(String(index + 2)));
    await until(async () => (await ask(api, '/')).body === `${child.pid} ${index + 2}`);
  }
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});

test('R-39: a second SIGTERM ends the service at once although a request is under way, with a status that says so', async () => {
  await writeFile(join(directory, 'main.hcl'), configuration('1', 'shutdown {\n timeout = "60s"\n }'));
  const { child, ended, said, lines } = run();
  const ready = await said('ready');
  const under = ask(portOf(ready['api']), '/slow').catch((error: unknown) => error);
  await until(async () =>
    (await ask(portOf(ready['admin']), '/metrics')).body.includes('svc_requests_in_flight{method="GET",path="*"} 1'),
  );
  child.kill('SIGTERM');
  await said('stopping');
  child.kill('SIGTERM');
  expect(await ended).toBe(143);
  expect(await under).toBeInstanceOf(Error);
  expect(lines().filter(({ level }) => level === 'ERROR')).toEqual([]);
});

test('R-88: an error that no caller receives is logged, and the process stops in order with 1', async () => {
  await writeFile(join(directory, 'main.hcl'), configuration('1'));
  const { ended, said } = run();
  const ready = await said('ready');
  await ask(portOf(ready['api']), '/stray');
  expect(await said('a rejected promise was not handled, the service stops')).toMatchObject({
    level: 'ERROR',
    error: 'stray error',
  });
  expect(await ended).toBe(1);
});
