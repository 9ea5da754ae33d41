import { expect, test } from 'vitest';
import { describe as completed } from '../../../engine/flow/calls/call.ts';
import type { Connector } from '../../../foundation/contracts/connector.ts';
import type { Storage } from '../../../foundation/contracts/storage.ts';
import type { CallDescription } from '../../../foundation/contracts/target.ts';
import type { SyncStore } from '../../../platform/sync/store.ts';
import type { Simulated } from './simulated-call.ts';
import { simulatedConnector, simulatedResource } from './simulation.ts';

const call = (words: Partial<CallDescription>) => completed({ verb: 'create', flow: 'f', label: 'step "a"', ...words });

/** A connector that records every call. */
function noting() {
  const reached: unknown[] = [];
  const reported: Simulated[] = [];
  const note = (...what: unknown[]) => void reached.push(what);
  const stored = (...what: unknown[]) => {
    note(...what);
    return 'stored';
  };
  const connector: Connector = {
    name: 'db',
    open: async () => note('open'),
    close: async () => note('close'),
    target: {
      prepare: ({ operation, query }) => {
        note('prepare', operation ?? query);
        return () => ({ value: 'real' });
      },
      transactions: {
        run: () => {
          throw new Error('a transaction began');
        },
      },
    },
    storage: new Proxy({ processLocal: false } as Storage, {
      get: (store, name) =>
        name in store ? Reflect.get(store, name) : (...given: unknown[]) => stored(name, ...given),
    }),
  };
  const report = (simulated: Simulated) => void reported.push(simulated);
  return {
    connector: simulatedConnector(connector, { getsByDefault: true, runs: false, effect: () => undefined }, report),
    reached,
    reported,
    report,
  };
}

test('changes are answered here and never prepared', () => {
  const { connector, reached, reported } = noting();
  const place = call({ verb: 'update', operation: 'UPDATE', target: 'orders' });
  const answer = { dry_run: true, operation: 'UPDATE', target: 'orders', payload: { a: 1 }, filters: { id: 2 } };
  expect(connector.target?.prepare(place)({ payload: { a: 1 }, filters: { id: 2 } })).toEqual({
    value: answer,
    simulated: true,
  });
  const gone = call({ verb: 'delete', target: 'orders' });
  expect(connector.target?.prepare(gone)({ payload: { a: 1 }, filters: { id: 2 } })).toEqual({
    value: { dry_run: true, operation: 'delete', target: 'orders', filters: { id: 2 } },
    simulated: true,
  });
  expect(reported[0]).toEqual({ connector: 'db', operation: 'UPDATE', place, answer });
  expect([reported.length, reached]).toEqual([2, []]);
});

test('reads pass; a target that comes with the message decides by its own method', () => {
  const { connector, reached } = noting();
  expect(connector.target?.prepare(call({ query: 'SELECT 1' }))({})).toEqual({ value: 'real' });
  expect(reached).toEqual([['prepare', 'SELECT 1']]);
  const open = connector.target?.prepare(call({ verb: 'call' }));
  expect(open?.({ target: '/orders' })).toEqual({ value: 'real' });
  expect(open?.({ target: 'DELETE /orders' })).toMatchObject({ simulated: true });
});

test('a transaction reads without a transaction and writes nothing', async () => {
  const { connector, reached, reported } = noting();
  const answer = await connector.target?.transactions?.run(async (statements) => {
    expect(await statements.execute('UPDATE orders SET a = :a', { a: 1 })).toEqual({ affected: 0, simulated: true });
    return statements.execute('SELECT * FROM orders', {});
  }, undefined);
  expect(answer).toEqual({ value: 'real' });
  expect(reached).toEqual([['prepare', 'SELECT * FROM orders']]);
  expect(reported.map(({ answer: { query, params } }) => [query, params])).toEqual([
    ['UPDATE orders SET a = :a', { a: 1 }],
  ]);
});

test('a cache is read and never changed', async () => {
  const { connector, reached, reported } = noting();
  const { storage } = connector;
  expect(storage?.get('k')).toBe('stored');
  expect([
    storage?.set('k', 'v', 5),
    storage?.delete(['k']),
    storage?.setIfAbsent('k', 'v', 5),
    storage?.replace('k', 'v', 'w', 5),
    storage?.deleteIf('k', 'v'),
    storage?.deleteMatching('k*'),
  ]).toEqual([undefined, 0, true, true, true, 0]);
  expect(storage?.takeToken).toBe(undefined);
  expect(reached).toEqual([['get', 'k']]);
  expect(reported.map(({ operation }) => operation)).toEqual([
    'cache set',
    'cache delete',
    'cache set',
    'cache set',
    'cache delete',
    'cache delete',
  ]);
  await connector.open(new AbortController().signal);
  await connector.close();
  expect(reached.slice(1)).toEqual([['open'], ['close']]);
});

test('locks and permits are granted without being taken; numbers and signals are read and not stored', () => {
  const { report, reported } = noting();
  const reached: unknown[] = [];
  const methods = [
    'acquire',
    'takePermit',
    'raiseSequence',
    'signal',
    'sequence',
    'signalled',
    'permitsTaken',
    'onSignal',
  ];
  const store = Object.fromEntries(methods.map((name) => [name, () => reached.push(name)]));
  const shared = simulatedResource({ ...store, name: 'sync', processLocal: true } as unknown as SyncStore, report);
  expect([
    shared.acquire('k', 1),
    shared.extend('k', 'o', 1),
    shared.release('k', 'o'),
    shared.takePermit('p', 1, 1),
    shared.extendPermit('p', 'o', 1),
    shared.returnPermit('p', 'o'),
    shared.raiseSequence('k', 5n, 1),
    shared.signal('k', 1),
  ]).toEqual([{ owner: 'dry-run', token: 0n }, true, true, 'dry-run', true, true, true, undefined]);
  shared.sequence('k');
  shared.signalled('k');
  shared.permitsTaken('p');
  shared.onSignal('k', () => undefined);
  expect(reached).toEqual(['sequence', 'signalled', 'permitsTaken', 'onSignal']);
  expect(reported.map(({ operation }) => operation)).toEqual(['lock', 'permit', 'sequence', 'signal']);
  const other = { name: 'breaker', open: async () => undefined, close: async () => undefined };
  expect(simulatedResource(other, report)).toBe(other);
});
