import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { recordingLog } from '../../../../../test/support/connector-services.ts';
import type { EntrySelection, Storage, StorageInspection } from '../../../foundation/contracts/storage.ts';
import type { StorageBed, StorageConnector } from './storage-conformance.ts';

const open = new AbortController().signal;
const all: EntrySelection = { pattern: '*', isMeant: () => true };

/** What every store of texts by key promises those who look at its entries. A new one joins with one call. */
export function inspectionConformance(name: string, makeBed: () => Promise<StorageBed>): void {
  describe(`looking at storage ${name}`, () => {
    let bed: StorageBed;
    let cache: StorageConnector;
    let storage: Storage;
    let inspection: StorageInspection;

    beforeEach(async () => {
      bed = await makeBed();
      cache = bed.client(recordingLog([]));
      await cache.open(open);
      ({ storage } = cache);
      inspection = storage.inspection as StorageInspection;
    });

    afterEach(async () => {
      await cache.close();
      await bed.close();
    });

    const keysOf = async (selection: EntrySelection, limit: number) => {
      const pages: string[][] = [];
      let after: string | undefined;
      do {
        const { entries, next } = await inspection.list(selection, { limit, after, signal: open });
        pages.push(entries.map(({ key }) => key));
        after = next;
      } while (after !== undefined);
      return pages;
    };

    test('entries have their length and their time; those that reserve a key and those that ended are left out', async () => {
      await storage.set('a:kept', 'vier', undefined);
      await storage.set('a:brief', 'äö', 60_000);
      await storage.set('b:other', 'x', undefined);
      await storage.set('a:gone', 'x', 1);
      bed.pass?.(1);
      for (let left: unknown = 0; left !== undefined; ) left = await storage.remaining('a:gone');
      const { entries, next } = await inspection.list(
        { ...all, pattern: 'a:*' },
        { limit: 10, after: undefined, signal: open },
      );
      const sorted = [...entries].sort((one, other) => (one.key < other.key ? -1 : 1));
      expect(sorted.map(({ key, left }) => [key, left])).toEqual([
        ['a:brief', expect.closeTo(60_000, -4)],
        ['a:kept', Number.POSITIVE_INFINITY],
      ]);
      expect([sorted[1]?.length, next]).toEqual([4, undefined]);
      expect([2, 4]).toContain(sorted[0]?.length);
    });

    test('pages together have every entry that is meant once, and none has more than was asked for', async () => {
      const keys = Array.from({ length: 730 }, (_, at) => `k:${at}`);
      await Promise.all(keys.map((key) => storage.set(key, key, undefined)));
      await Promise.all(keys.map((key) => storage.set(`other ${key}`, key, undefined)));
      const even: EntrySelection = { pattern: 'k:*', isMeant: (key) => Number(key.slice(2)) % 2 === 0 };
      const pages = await keysOf(even, 50);
      expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(50);
      expect(pages.flat().sort()).toEqual(keys.filter(even.isMeant).sort());
    });

    test('one is read without being used, and not when it is too long', async () => {
      await storage.set('k', 'value', 60_000);
      const left = expect.closeTo(60_000, -4) as number;
      expect(await inspection.read('k', 5)).toEqual({ key: 'k', length: 5, left, value: 'value' });
      expect(await inspection.read('k', 4)).toEqual({ key: 'k', length: 5, left, value: undefined });
      expect(await inspection.read('absent', 5)).toBeUndefined();
    });

    test('what is swept is what is meant; reservations stay', async () => {
      const keys = Array.from({ length: 450 }, (_, at) => `k:${at}`);
      await Promise.all(keys.map((key) => storage.set(key, key, undefined)));
      const meant: EntrySelection = { pattern: 'k:*', isMeant: (key) => key !== 'k:7' };
      expect(await inspection.sweep(meant, undefined, open)).toEqual({ deleted: 449, next: undefined });
      expect(await keysOf(all, 100)).toEqual([['k:7']]);
    });

    test('a sweep that has to end continues where it was', async () => {
      const keys = Array.from({ length: 5_000 }, (_, at) => `k:${at}`);
      await Promise.all(keys.map((key) => storage.set(key, '1', undefined)));
      const ended = new AbortController();
      let seen = 0;
      const meant: EntrySelection = {
        pattern: 'k:*',
        isMeant: () => {
          if (++seen === 1_500) ended.abort();
          return true;
        },
      };
      const first = await inspection.sweep(meant, undefined, ended.signal);
      expect(first.next).toBeTypeOf('string');
      expect(first.deleted).toBeLessThan(5_000);
      const second = await inspection.sweep(meant, first.next, open);
      expect([first.deleted + second.deleted, second.next]).toEqual([5_000, undefined]);
    });
  });
}
