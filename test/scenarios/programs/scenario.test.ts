import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isAlive } from '../../../runtime/src/platform/processes/testing/alive.ts';
import { runCommand } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { type Scenario, startScenario } from '../scenario.ts';

const folder = import.meta.dirname;
let service: Scenario;
const started: Scenario[] = [];

const start = async (...args: string[]) => {
  const scenario = await startScenario(folder, { args });
  started.push(scenario);
  return scenario;
};

beforeAll(async () => {
  service = await startScenario(folder);
});
afterAll(() => service?.end());
afterEach(async () => {
  for (const each of started.splice(0)) await each.end();
});

const asked = async (of: Scenario, method: string, path: string, body?: object) => {
  const answer = await of.ask(method, path, body);
  return [answer.status, answer.body];
};
const ask = (method: string, path: string, body?: object) => asked(service, method, path, body);
const pidIn = (path: string) => until(() => Number(readFileSync(path, 'utf8')) || undefined);

describe('a program is asked', () => {
  test('by a reading flow, with path and query as its input', async () => {
    expect(await ask('GET', '/read/7?q=x')).toEqual([200, [{ id: '7', q: 'x' }]]);
  });

  test('S-51: by fields that the configuration names alone: those of the route, of a transform, of parameters', async () => {
    expect(await ask('GET', '/arguments/-x?upload-pack=id')).toEqual([200, [{ output: '[--name=-x]' }]]);
    expect(await ask('POST', '/undeclared', { 'upload-pack': 'id' })).toEqual([200, { output: '[]' }]);
    expect(service.log).toContain('no field becomes an argument of the program, since the configuration names none');
    expect(await ask('POST', '/declared', { title: 'a b', other: 1, target: 't' })).toEqual([
      200,
      { output: '[t][--title=a b]' },
    ]);
    const [status, body] = await ask('POST', '/declared', { title: 'a', target: '--help' });
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('begins with')]);
  });

  test('A-02: by a named operation, whose parameters are converted and checked', async () => {
    expect(await ask('POST', '/sized', { size: '007' })).toEqual([200, { made: '(--size=7)' }]);
    expect((await ask('POST', '/sized', { size: 101 }))[0]).toBe(400);
    expect((await ask('POST', '/sized', { size: '7; id' }))[0]).toBe(400);
  });

  test('by a step without an operation, and an enrichment with arguments', async () => {
    expect(await ask('GET', '/bare')).toEqual([200, { made: { a: 1 }, more: '[sub][x][1]', read: 1 }]);
  });

  test('by a destination and an action with arguments and input of their own', async () => {
    const asked = await ask('POST', '/spoken', { word: 'word', text: 'text' });
    expect(asked).toEqual([200, { output: 'word text' }]);
    await until(() => readFileSync(join(service.directory, 'word'), 'utf8') === 'text');
    expect((await ask('POST', '/spoken', { word: '-e', text: '' }))[0]).toBe(400);
  });

  test('by a batch for each row, and by the action of an aspect', async () => {
    expect((await ask('POST', '/batch', {}))[0]).toBe(200);
    expect((await ask('POST', '/audited', { who: 'me' }))[0]).toBe(200);
    const log = join(service.directory, 'log');
    await until(() => readFileSync(log, 'utf8').includes('audited'));
    expect(readFileSync(log, 'utf8')).toBe('{"n":1}\n{"n":2}\n{"audited":"me"}\n');
  });
});

test('S-11: in production callers do not see what a program wrote; the log has it', async () => {
  expect(JSON.stringify(await ask('GET', '/fails'))).toContain('secret path');
  const production = await start('--env', 'production');
  const [status, body] = await asked(production, 'GET', '/fails');
  expect([status, JSON.stringify(body)]).toEqual([500, expect.not.stringContaining('secret')]);
  await until(() => production.log.includes('command failed: exit status 4, stderr: secret path /srv/x'));
});

describe('S-51: no program outlives', () => {
  test.each([
    ['its caller', async () => undefined],
    ['a stop of the service', (of: Scenario) => of.stop('SIGTERM')],
    ['a kill of the service', (of: Scenario) => of.stop('SIGKILL')],
  ])('%s', async (_, end) => {
    const own = await start();
    const caller = new AbortController();
    const calling = fetch(`${own.address}/hangs`, { method: 'POST', signal: caller.signal }).catch(() => undefined);
    const pids = [await pidIn(join(own.directory, 'outer')), await pidIn(join(own.directory, 'inner'))];
    const ending = end(own);
    if (own.pid) caller.abort();
    await ending;
    await calling;
    await until(() => !pids.some(isAlive));
  });
});

test('a dry run runs nothing', async () => {
  const traced = await runCommand([
    'trace',
    'audited',
    '-c',
    service.directory,
    '--dry-run',
    '--input',
    '{"who":"traced"}',
  ]);
  expect([traced.code, traced.stderr]).toEqual([0, '']);
  const path = await runCommand(['trace', 'fails', '-c', service.directory, '--dry-run', '--input', '{}']);
  expect(path.stdout).not.toContain('command failed');
  expect(
    existsSync(join(service.directory, 'log')) && readFileSync(join(service.directory, 'log'), 'utf8'),
  ).not.toContain('traced');
});
