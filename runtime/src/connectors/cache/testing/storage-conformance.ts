import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LogLine, recordingLog } from '../../../../../test/support/connector-services.ts';
import type { FaultProxy } from '../../../../../test/support/proxy.ts';
import { until } from '../../../../../test/support/until.ts';
import type { Connector } from '../../../foundation/contracts/connector.ts';
import type { Storage } from '../../../foundation/contracts/storage.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import { globEscape } from '../../../platform/sync/glob.ts';

/** A connector with storage, as tests use it. */
export type StorageConnector = Connector & { readonly storage: Storage };

/** A store of its own, empty, and its clients. */
export interface StorageBed {
  /** Makes a client of the store, as each process has one; where the store is in the process, always the same. */
  client(log: Log): StorageConnector;
  /** Lets time pass for the store; absent where it has a clock of its own. */
  readonly pass?: ((milliseconds: number) => void) | undefined;
  /** The proxy before the server; absent where it is not remote. */
  readonly proxy?: FaultProxy | undefined;
  close(): Promise<void>;
}

const never = new AbortController().signal;
/** Keys that something on the way may take for something else. */
const odd = [
  '',
  ' ',
  '*',
  '?',
  '[a]',
  '[^a]',
  '[!a]',
  'a-c',
  '\\',
  '\\*',
  '{a,b}',
  '^',
  '$',
  ':',
  'a:b',
  'a\0b',
  'a\r\nb',
  '\u{1f600}',
  'e\u0301',
  '\u00e9',
  '\u202e',
  '\uffff',
  '\ufeff',
  '__proto__',
  'k'.repeat(65_536),
];

/** What every store of texts by key promises. A new one joins with one call. */
export function storageConformance(name: string, makeBed: () => Promise<StorageBed>): void {
  describe(`storage ${name}`, () => {
    let bed: StorageBed;
    let lines: LogLine[];
    let made: StorageConnector[];
    beforeEach(async () => {
      bed = await makeBed();
      lines = [];
      made = [];
    });
    afterEach(async () => {
      if (bed.proxy !== undefined) bed.proxy.fault = 'pass';
      await Promise.all(made.map((connector) => connector.close(AbortSignal.abort())));
      await bed.close();
    });

    async function open(): Promise<StorageConnector> {
      const connector = bed.client(recordingLog(lines));
      made.push(connector);
      await connector.open(never);
      return connector;
    }

    /** Resolves when an entry has ended. */
    async function expired(storage: Storage, key: string, lifetime: number): Promise<void> {
      bed.pass?.(lifetime);
      await until(async () => (await storage.get(key)) === undefined);
    }

    test('entries are kept, expire and are deleted', async () => {
      const { storage } = await open();
      await storage.set('a', 'ä\n', undefined);
      await storage.set('b', '2', 20);
      expect([await storage.get('a'), await storage.get('none')]).toEqual(['ä\n', undefined]);
      await expired(storage, 'b', 20);
      expect([await storage.delete(['a', 'none']), await storage.delete([]), await storage.get('a')]).toEqual([
        1,
        0,
        undefined,
      ]);
    });

    test('lifetimes of entries that were stored, replaced and kept for ever', async () => {
      const { storage } = await open();
      expect([
        await storage.setIfAbsent('brief', '1', 500),
        await storage.setIfAbsent('kept', '1', 500),
        await storage.replace('kept', '1', '2', undefined),
      ]).toEqual([true, true, true]);
      await storage.set('again', '1', 500);
      await storage.set('again', '2', undefined);
      await expired(storage, 'brief', 500);
      expect([
        await storage.get('kept'),
        await storage.get('again'),
        await storage.setIfAbsent('brief', '2', undefined),
        await storage.replace('gone', '1', '2', 20),
        await storage.deleteIf('gone', '1'),
      ]).toEqual(['2', '2', true, false, false]);
    });

    test('of many who want to store an entry one does; it changes only while it holds what is expected', async () => {
      const stores = (await Promise.all([open(), open(), open()])).map(({ storage }) => storage);
      const [storage] = stores as [Storage, ...Storage[]];
      const one = (outcomes: readonly boolean[]) => {
        expect(outcomes.filter(Boolean)).toEqual([true]);
        return outcomes.indexOf(true);
      };
      for (let round = 0; round < 20; round++) {
        const key = `key ${round}`;
        const first = one(await Promise.all(stores.map((each, at) => each.setIfAbsent(key, String(at), 60_000))));
        expect([
          await storage.get(key),
          await storage.replace(key, 'other', 'x', 60_000),
          await storage.replace('none', String(first), 'x', 60_000),
          await storage.deleteIf(key, 'other'),
        ]).toEqual([String(first), false, false, false]);
        const swaps = stores.map((each, at) => each.replace(key, String(first), `next ${at}`, 60_000));
        const next = `next ${one(await Promise.all(swaps))}`;
        one(await Promise.all(stores.map((each) => each.deleteIf(key, next))));
        expect(await storage.get(key)).toBe(undefined);
      }
    });

    test('keys and values are any text, and two texts are two keys', async () => {
      const { storage } = await open();
      await Promise.all(odd.map((key, at) => storage.set(key, `${at} ${key}`, undefined)));
      expect(await Promise.all(odd.map((key) => storage.get(key)))).toEqual(odd.map((key, at) => `${at} ${key}`));
      for (const [at, key] of odd.entries()) {
        expect(await storage.setIfAbsent(key, 'x', undefined)).toBe(false);
        expect(await storage.replace(key, `${at} ${key}`, key, undefined)).toBe(true);
        expect([await storage.deleteIf(key, key), await storage.get(key)]).toEqual([true, undefined]);
      }
    });

    test('a glob whose characters are escaped deletes the one key that they spell', async () => {
      const { storage } = await open();
      const write = () => Promise.all(odd.map((key) => storage.set(key, key, undefined)));
      for (const key of odd) {
        await write();
        expect([key.slice(0, 9), await storage.deleteMatching(globEscape(key))]).toEqual([key.slice(0, 9), 1]);
        expect(await storage.get(key)).toBe(undefined);
      }
    });

    test.each([
      ['x?', ['xa', 'xä', 'x\u{1f600}', 'x?']],
      ['x??', ['xab', 'xä\u{1f600}']],
      ['x*', ['x', 'xa', 'xä', 'x\u{1f600}', 'x?', 'xab', 'xä\u{1f600}']],
      ['*ä*', ['xä', 'xä\u{1f600}']],
      ['?', ['x', '\u{1f600}']],
      ['[xy]', ['[xy]']],
      ['[^y]', []],
      ['x\\?', ['x?']],
      ['y\\', ['y\\']],
      ['\\y\\\\', ['y\\']],
    ])(
      'the glob %s deletes what it names: * is any text, ? one character, nothing else is special',
      async (glob, gone) => {
        const { storage } = await open();
        const keys = ['x', 'xa', 'xä', 'x\u{1f600}', 'x?', 'xab', 'xä\u{1f600}', '\u{1f600}', '[xy]', 'y\\'];
        await Promise.all(keys.map((key) => storage.set(key, key, undefined)));
        const deleted = await storage.deleteMatching(glob);
        const left = await Promise.all(keys.map((key) => storage.get(key)));
        expect([deleted, left]).toEqual([gone.length, keys.map((key) => (gone.includes(key) ? undefined : key))]);
      },
    );

    test('a glob deletes any number of keys', async () => {
      const { storage } = await open();
      const keys = Array.from({ length: 1200 }, (_, at) => `user:${at}`);
      await Promise.all([...keys, 'a'].map((key) => storage.set(key, '1', undefined)));
      expect([await storage.deleteMatching('user:?'), await storage.deleteMatching('user:*')]).toEqual([10, 1190]);
      expect(await storage.get('a')).toBe('1');
    });

    test('large values come back whole, and answers of many are not mixed', async () => {
      const { storage } = await open();
      const large = 'ä1'.repeat(4 * 1024 * 1024);
      await storage.set('large', large, undefined);
      await Promise.all(Array.from({ length: 300 }, (_, at) => storage.set(`n${at}`, String(at), undefined)));
      const answers = await Promise.all([
        storage.get('large'),
        ...Array.from({ length: 300 }, (_, at) => storage.get(`n${at}`)),
      ]);
      expect(answers[0] === large).toBe(true);
      expect(answers.slice(1)).toEqual(Array.from({ length: 300 }, (_, at) => String(at)));
      expect(await storage.replace('large', large, 'small', undefined)).toBe(true);
    });

    test('R-61: tokens of one bucket are those of all clients', async () => {
      const stores = (await Promise.all([open(), open()])).map(({ storage }) => storage);
      const takes = Array.from({ length: 20 }, (_, at) => stores[at % 2]?.takeToken?.('k', 0.001, 5));
      const answers = await Promise.all(takes);
      expect(answers.filter((answer) => answer?.allowed)).toHaveLength(5);
      const last = await stores[0]?.takeToken?.('k', 0.001, 5);
      expect(last).toMatchObject({ allowed: false, remaining: 0 });
      expect(last?.retryAfter).toBeGreaterThan(900_000);
      expect(await stores[0]?.takeToken?.('other', 0.001, 5)).toMatchObject({ allowed: true, remaining: 4 });
    });

    test('an entry has a lifetime that can be asked for', async () => {
      const { storage } = await open();
      await storage.set('kept', '1', undefined);
      await storage.set('brief', '1', 60_000);
      const [kept, brief, none] = await Promise.all(['kept', 'brief', 'none'].map((key) => storage.remaining(key)));
      expect([kept, none]).toEqual([Number.POSITIVE_INFINITY, undefined]);
      expect(brief).toBeGreaterThan(50_000);
      expect(brief).toBeLessThanOrEqual(60_000);
      expect(await Promise.all(['kept', 'brief', 'none'].map((key) => storage.has(key)))).toEqual([true, true, false]);
    });

    test('a counter of several clients counts each addition once, and never beyond its limit', async () => {
      const stores = (await Promise.all([open(), open()])).map(({ storage }) => storage) as [Storage, Storage];
      const added = await Promise.all(
        Array.from({ length: 40 }, (_, at) => (stores[at % 2] as Storage).add('n', 1n, undefined)),
      );
      expect(added.map(({ value }) => value).sort((a, b) => Number(a - b))).toEqual(
        Array.from({ length: 40 }, (_, at) => BigInt(at + 1)),
      );
      const limited = await Promise.all(
        Array.from({ length: 10 }, (_, at) => (stores[at % 2] as Storage).add('limited', 3n, undefined, 10n)),
      );
      // Of two clients, either may be served first.
      const sums = limited.flatMap(({ allowed, value }) => (allowed ? [value] : []));
      expect(sums.sort((a, b) => Number(a - b))).toEqual([3n, 6n, 9n]);
      expect(limited.filter(({ allowed }) => !allowed)).toEqual(Array(7).fill({ allowed: false, value: 9n }));
      const [storage] = stores;
      expect([await storage.add('beyond', 5n, undefined, 4n), await storage.has('beyond')]).toEqual([
        { allowed: false, value: 0n },
        false,
      ]);
      expect([await storage.add('n', -50n, undefined), await storage.get('n')]).toEqual([
        { allowed: true, value: -10n },
        '-10',
      ]);
    });

    test('a counter keeps the lifetime that it began with, and all digits of 64 bits', async () => {
      const { storage } = await open();
      await storage.add('n', 2n ** 62n, 60_000);
      expect(await storage.add('n', 2n ** 62n - 1n, undefined)).toEqual({ allowed: true, value: 2n ** 63n - 1n });
      expect(await storage.remaining('n')).toBeLessThanOrEqual(60_000);
      await storage.set('text', 'a', undefined);
      const refused = { code: 'connector_failed', retriable: false };
      expect(await failureOf(() => storage.add('n', 1n, undefined))).toEqual(refused);
      expect(await failureOf(() => storage.add('text', 1n, undefined))).toEqual(refused);
      expect([await storage.get('n'), await storage.get('text')]).toEqual([String(2n ** 63n - 1n), 'a']);
    });

    test('opens and closes in any order, as often as they are called', async () => {
      const unopened = bed.client(recordingLog(lines));
      await unopened.close();
      const connector = await open();
      await connector.storage.set('a', '1', undefined);
      await Promise.all([connector.close(), connector.close()]);
      await connector.close(AbortSignal.abort());
      await until(() => (bed.proxy?.connections ?? 0) === 0);
    });

    test('a store that goes away fails at once, and is used again when it is back', async () => {
      const { storage, check } = await opened();
      const { proxy } = bed;
      if (proxy === undefined) return;
      await storage.set('a', '1', undefined);
      proxy.fault = 'refuse';
      proxy.reset();
      await until(() => lines.length > 0);
      const outcomes = await Promise.all([
        ...operations(storage).map((operation) => failureOf(operation)),
        failureOf(() => check()),
      ]);
      expect(outcomes).toEqual(outcomes.map(() => ({ code: 'store_unavailable', retriable: true })));
      proxy.fault = 'pass';
      await until(async () => (await storage.get('a')) === '1');
      await until(() => check().then(() => true));
      expect(lines.map(({ level, message }) => [level, message])).toEqual([
        ['warn', expect.stringContaining('is unavailable; reconnecting')],
        ['info', expect.stringContaining('is back')],
      ]);
    });

    test('a store that is silent does not stop a close, and waiting callers get a failure', async () => {
      const connector = await open();
      const { proxy } = bed;
      if (proxy === undefined) return;
      proxy.fault = 'blackhole';
      const waiting = operations(connector.storage).map((operation) => failureOf(operation));
      await connector.close(AbortSignal.abort());
      const outcomes = await Promise.all(waiting);
      expect(outcomes).toEqual(outcomes.map(() => ({ code: 'store_unavailable', retriable: true })));
      await until(() => proxy.connections === 0);
      expect(await failureOf(() => connector.storage.get('a'))).toEqual({ code: 'store_unavailable', retriable: true });
    });

    async function opened() {
      const connector = await open();
      return { storage: connector.storage, check: async () => connector.check?.(never) };
    }
  });
}

/** Each operation once. */
function operations(storage: Storage): readonly (() => unknown)[] {
  return [
    () => storage.get('a'),
    () => storage.set('a', '2', undefined),
    () => storage.delete(['a']),
    () => storage.deleteMatching('*'),
    () => storage.takeToken?.('k', 1, 1),
    () => storage.setIfAbsent('a', '2', undefined),
    () => storage.replace('a', '1', '2', undefined),
    () => storage.deleteIf('a', '1'),
    () => storage.has('a'),
    () => storage.remaining('a'),
    () => storage.add('n', 1n, undefined),
  ];
}

async function failureOf(work: () => unknown): Promise<Pick<Failure, 'code' | 'retriable'>> {
  try {
    await work();
  } catch (error) {
    expect(error).toBeInstanceOf(Failure);
    const { code, retriable } = error as Failure;
    return { code, retriable };
  }
  throw new Error('it did not fail');
}
