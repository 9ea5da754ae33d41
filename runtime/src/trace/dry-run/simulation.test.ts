import { expect, test } from 'vitest';
import type { Connector } from '../../contracts/connector.ts';
import type { Storage } from '../../contracts/storage.ts';
import type { CallDescription } from '../../contracts/target.ts';
import { describe as completed } from '../../flow/call.ts';
import type { SyncStore } from '../../sync/store.ts';
import { type Simulated, simulatedConnector, simulatedResource } from './simulation.ts';

const call = (words: Partial<CallDescription>) => completed({ verb: 'create', flow: 'f', label: 'step "a"', ...words });

/** A connector that notes whatever reaches it. */
function noting() {
  const reached: unknown[] = [];
  const told: Simulated[] = [];
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
  const tell = (simulated: Simulated) => void told.push(simulated);
  return { connector: simulatedConnector(connector, true, tell), reached, told, tell };
}

test('what changes something is answered here and never prepared', () => {
  const { connector, reached, told } = noting();
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
  expect(told[0]).toEqual({ connector: 'db', operation: 'UPDATE', place, answer });
  expect([told.length, reached]).toEqual([2, []]);
});

test('what reads passes; a target of the message decides for itself', () => {
  const { connector, reached } = noting();
  expect(connector.target?.prepare(call({ query: 'SELECT 1' }))({})).toEqual({ value: 'real' });
  expect(reached).toEqual([['prepare', 'SELECT 1']]);
  const open = connector.target?.prepare(call({ verb: 'call' }));
  expect(open?.({ target: '/orders' })).toEqual({ value: 'real' });
  expect(open?.({ target: 'DELETE /orders' })).toMatchObject({ simulated: true });
});

test('a transaction reads outside of any and writes nowhere', async () => {
  const { connector, reached, told } = noting();
  const answer = await connector.target?.transactions?.run(async (statements) => {
    expect(await statements.execute('UPDATE orders SET a = :a', { a: 1 })).toEqual({ affected: 0, simulated: true });
    return statements.execute('SELECT * FROM orders', {});
  }, undefined);
  expect(answer).toEqual({ value: 'real' });
  expect(reached).toEqual([['prepare', 'SELECT * FROM orders']]);
  expect(told.map(({ answer: { query, params } }) => [query, params])).toEqual([
    ['UPDATE orders SET a = :a', { a: 1 }],
  ]);
});

test('a cache is read and never changed', async () => {
  const { connector, reached, told } = noting();
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
  expect(told.map(({ operation }) => operation)).toEqual([
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

test('locks and permits are granted without being taken; numbers and signals are read and not kept', () => {
  const { tell, told } = noting();
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
  const shared = simulatedResource({ ...store, name: 'sync', processLocal: true } as unknown as SyncStore, tell);
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
  expect(told.map(({ operation }) => operation)).toEqual(['lock', 'permit', 'sequence', 'signal']);
  const other = { name: 'breaker', open: async () => undefined, close: async () => undefined };
  expect(simulatedResource(other, tell)).toBe(other);
});
