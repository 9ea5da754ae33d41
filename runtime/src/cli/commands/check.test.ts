import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Connector } from '../../foundation/contracts/connector.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { fakePlan, fakeServer, fakeTarget, planned } from '../../service/running/testing/fakes.ts';
import { inDirectory, typed } from '../testing/typed.ts';
import { check } from './check.ts';

async function checked(connectors: Parameters<typeof fakePlan>[0]) {
  const directory = await mkdtemp(join(tmpdir(), 'svc-check-'));
  let out = '';
  let error = '';
  try {
    await writeFile(join(directory, 'main.hcl'), 'service {\n  name = "x"\n}\n');
    const status = await check({
      directory,
      workingDirectory: directory,
      flags: {},
      environment: {},
      compile: () => fakePlan(connectors),
      timeout: 100,
      streams: {
        out: { write: (text) => void (out += text), colour: false, width: 80 },
        error: { write: (text) => void (error += text), colour: false, width: 80 },
      },
    });
    return { status, lines: out.trimEnd().split('\n'), error };
  } finally {
    await rm(directory, { recursive: true });
  }
}

const target = (name: string, own: Partial<Connector> = {}) => planned(name, () => fakeTarget(name, [], own));

function failing(name: string, code: string, message: string, wrap?: (cause: Error) => Error) {
  const cause = Object.assign(new Error(message), { code });
  return target(name, { open: () => Promise.reject(wrap?.(cause) ?? cause) });
}

test('R-33: distinguishes refused, silent, TLS, credentials and unknown names, and ends with 1', async () => {
  const { status, lines, error } = await checked([
    failing('refused', 'ECONNREFUSED', 'connect ECONNREFUSED 10.0.0.1:5432'),
    target('silent', { open: () => new Promise(() => undefined) }),
    target('hung', { check: () => new Promise(() => undefined) }),
    failing('tls', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate', (cause) => {
      return new Failure('connector_failed', 'cannot connect to db:5432', { cause });
    }),
    failing('credentials', '28P01', 'password authentication failed for user "app"'),
    failing('name', 'ENOTFOUND', 'getaddrinfo ENOTFOUND db.invalid'),
    failing('secret', 'ECONNREFUSED', 'cannot connect to postgres://app:hunter2@db/x'),
    target('well'),
    planned('api', () => fakeServer('api', [], () => '')),
  ]);
  expect({ status, error }).toEqual({ status: 1, error: '' });
  expect(lines.map((line) => line.replace(/\d+ ms$/, 'N ms'))).toEqual([
    'failed  refused (fake)      connection refused: connect ECONNREFUSED 10.0.0.1:5432 (main.hcl:1)',
    'failed  silent (fake)       no response within 0.1 s (main.hcl:1)',
    'failed  hung (fake)         no response within 0.1 s (main.hcl:1)',
    'failed  tls (fake)          TLS failed: cannot connect to db:5432: self-signed certificate (main.hcl:1)',
    'failed  credentials (fake)  the credentials were refused: password authentication failed for user "app" (main.hcl:1)',
    'failed  name (fake)         the host name cannot be resolved: getaddrinfo ENOTFOUND db.invalid (main.hcl:1)',
    'failed  secret (fake)       connection refused: cannot connect to postgres://app:***@db/x (main.hcl:1)',
    'ok      well (fake)         N ms',
    '-       api (fake)          waits for others',
    '7 of 9 connectors unreachable',
  ]);
});

test('R-33: ends with 0 when everything can be reached', async () => {
  const { status, lines } = await checked([target('a'), target('b')]);
  expect(status).toBe(0);
  expect(lines.at(-1)).toBe('2 connectors, all well');
});

test('names what works with less than it should, and ends with 0', async () => {
  const { status, lines } = await checked([
    target('a'),
    target('b', { check: async () => 'one of three nodes is unavailable' }),
  ]);
  expect(status).toBe(0);
  expect(lines.map((line) => line.replace(/\d+ ms/, 'N ms'))).toEqual([
    'ok      a (fake)  N ms',
    'partly  b (fake)  N ms, degraded: one of three nodes is unavailable',
    '2 connectors, 1 degraded',
  ]);
});

test('servers wait for others, also those that send to their own clients', async () => {
  const server = (type: string) => `connector "${type}" {\n  type = "${type}"\n  port = 0\n}\n`;
  const { status, out } = await inDirectory(
    { 'a.hcl': ['rest', 'graphql', 'websocket'].map(server).join('') },
    (directory) => typed(['check'], directory),
  );
  expect(status).toBe(0);
  expect(out.split('\n').slice(0, 3)).toEqual([
    '-       rest (rest server)            waits for others',
    '-       graphql (graphql server)      waits for others',
    '-       websocket (websocket server)  waits for others',
  ]);
});
