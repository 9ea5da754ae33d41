import type { KnownTarget } from '@svc/protocol/wire';
import { expect, test } from 'vitest';
import { load } from '../../engine/plan/testing/service.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { knownTargets } from './known-targets.ts';

const project = load('connector "db" {\n  type     = "database"\n  driver   = "sqlite"\n  database = ":memory:"\n}\n');

/** A service whose connector answers as `ask` does. */
function serviceOf(ask: (signal: AbortSignal) => Promise<readonly KnownTarget[]>) {
  const connector = { knownTargets: ask };
  return { project, stages: new Map(), connectors: new Map([['db', { connector }]]) };
}

test('a server is asked once by clients that ask at once or soon after, also when it fails', async () => {
  let asked = 0;
  const orders: KnownTarget = { name: 'orders', kind: 'table', columns: ['id'] };
  const service = serviceOf(async () => {
    asked++;
    return [orders];
  });
  const answers = await Promise.all(Array.from({ length: 50 }, () => knownTargets(service, 'db')));
  expect([...new Set(answers)]).toEqual([[orders]]);
  expect([await knownTargets(service, 'db'), asked]).toEqual([[orders], 1]);
  let refused = 0;
  const failing = serviceOf(() => Promise.reject(new Failure('connector_refused', `refused ${++refused}`)));
  await expect(knownTargets(failing, 'db')).rejects.toThrow('refused 1');
  await expect(knownTargets(failing, 'db')).rejects.toThrow('refused 1');
});

test('a server that says nothing is given up after 2 s, even by a connector that does not hear its signal', {
  timeout: 20_000,
}, async () => {
  let isEnded = false;
  const silent = serviceOf((signal) => {
    signal.addEventListener('abort', () => (isEnded = true));
    return new Promise(() => undefined);
  });
  await expect(knownTargets(silent, 'db')).rejects.toThrow('no response within 2 s');
  expect(isEnded).toBe(true);
});

test('a connector that is unknown, that is not open, or that cannot tell', async () => {
  const none = { project, stages: new Map() };
  expect(await knownTargets(none, 'other')).toBeUndefined();
  expect(await knownTargets(none, 'db')).toEqual([]);
  expect(await knownTargets({ ...none, connectors: new Map([['db', { connector: {} }]]) }, 'db')).toEqual([]);
});
