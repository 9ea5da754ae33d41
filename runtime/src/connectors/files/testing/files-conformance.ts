import { describe, expect, test } from 'vitest';
import { described, failureOf } from './asking.ts';
import { type FilesBed, filesInUse } from './files-bed.ts';
import { namingConformance } from './naming-conformance.ts';
import { writingConformance } from './writing-conformance.ts';

/** What all stores of files promise. A new one is tested with one call. */
export function filesConformance(name: string, makeBed: () => Promise<FilesBed>): void {
  describe(`files ${name}`, () => {
    const use = filesInUse(makeBed);
    const { call, downloaded, open, value } = use;
    writingConformance(use);
    namingConformance(use);

    describe('folders', () => {
      test('a list has names, sizes and times, ordered by path; a pattern narrows it', async () => {
        for (const path of ['b.txt', 'a/c.csv', 'a/d/e.csv', 'a/f.txt']) await use.bed.put(path, Buffer.from(path));
        const rows = (await value('list', { path: 'a', recursive: true })) as Record<string, unknown>[];
        const shown = rows
          .filter(({ is_dir }) => is_dir !== true)
          .map((row) => [row[use.bed.named], row['size'], typeof (row['mod_time'] ?? row['last_modified'])]);
        expect(shown).toEqual([
          ['a/c.csv', 7, 'string'],
          ['a/d/e.csv', 9, 'string'],
          ['a/f.txt', 7, 'string'],
        ]);
        const csv = (await value('list', { path: '', recursive: true, pattern: '*.csv' })) as Record<string, unknown>[];
        expect(csv.map((row) => row[use.bed.named])).toEqual(['a/c.csv', 'a/d/e.csv']);
        const deep = (await value('list', { path: 'a', recursive: true, pattern: 'd/*' })) as Record<string, unknown>[];
        expect(deep.map((row) => row[use.bed.named])).toEqual(['a/d/e.csv']);
      });

      test('a name that ends in / is listed', async () => {
        await use.bed.put('a/c.csv', Buffer.from('x'));
        const list = { operation: 'list', target: 'a/' };
        for (const asked of use.bed.hasFolders ? [list, { target: 'a/' }] : [list]) {
          const rows = (await value('read', {}, asked)) as Record<string, unknown>[];
          expect(rows.map((row) => row[use.bed.named])).toEqual(['a/c.csv']);
        }
      });

      test('a list that would have too many entries is refused', async () => {
        for (const path of ['a', 'b', 'c']) await use.bed.put(path, Buffer.from('x'));
        const narrow = await open({ max_entries: 2 });
        const list = narrow.target.prepare({ ...described, operation: 'list' });
        expect((await failureOf(Promise.resolve().then(() => list({ params: {} })))).code).toBe('body_too_large');
        await narrow.close();
      });
    });

    describe('files', () => {
      test('exist or not, are described, copied, moved and deleted', async () => {
        await use.bed.put('a.txt', Buffer.from('text'));
        const { named } = use.bed;
        const there = async (path: string) => value('exists', { path });
        expect([await there('a.txt'), await there('b.txt')]).toEqual([
          { exists: true, [named]: 'a.txt' },
          { exists: false, [named]: 'b.txt' },
        ]);
        expect(await value('stat', { path: 'a.txt' })).toMatchObject({ [named]: 'a.txt', size: 4 });
        expect(await value('stat', { path: 'a.txt' }, { exact: true })).toMatchObject({ size: 4n });
        const copied = { source: 'a.txt', destination: 'in/b.txt' };
        expect(await value('copy', copied)).toEqual({ copied: true, source: 'a.txt', dest: 'in/b.txt', bytes: 4 });
        const moved = { source: 'in/b.txt', destination: 'c.txt' };
        expect(await value('move', moved)).toEqual({ moved: true, source: 'in/b.txt', dest: 'c.txt' });
        expect([await there('a.txt'), await there('in/b.txt'), await there('c.txt')]).toMatchObject([
          { exists: true },
          { exists: false },
          { exists: true },
        ]);
        expect((await use.bed.bytesOf('c.txt')).toString()).toBe('text');
        expect(await value('delete', { path: 'c.txt' })).toEqual({ deleted: true, [named]: 'c.txt' });
        expect(await there('c.txt')).toMatchObject({ exists: false });
      });

      test('that are not there are 404, whatever is asked', async () => {
        const asked = [
          call('read', { path: 'no.json' }),
          downloaded('no.json'),
          call('stat', { path: 'no.json' }),
          call('delete', { path: 'no.json' }),
          call('copy', { source: 'no.json', destination: 'x.json' }),
          call('move', { source: 'no.json', destination: 'x.json' }),
        ];
        const failures = await Promise.all(asked.map(failureOf));
        expect(failures.map(({ code, kind }) => [code, kind.status])).toEqual(asked.map(() => ['not_found', 404]));
        for (const { message } of failures) expect(message).toContain('no.json');
      });

      test('a whole file is not read beyond max_read; a scan reads it', async () => {
        const text = Array.from({ length: 500 }, (_, n) => `{"n":${n}}\n`).join('');
        await use.bed.put('long.ndjson', Buffer.from(text));
        const narrow = await open({ max_read: 1000 });
        const read = narrow.target.prepare({ ...described, verb: 'read', target: 'long.ndjson' });
        expect((await failureOf(Promise.resolve().then(() => read({})))).code).toBe('body_too_large');
        const scan = narrow.target.prepareScan?.({ ...described, verb: 'read', target: 'long.ndjson' });
        let count = 0;
        for await (const row of scan?.({}) ?? []) expect(row).toEqual({ n: count++ });
        expect(count).toBe(500);
        await narrow.close();
      });

      test('a scan that is left frees what it held', async () => {
        await use.bed.put('long.ndjson', Buffer.from('{"n":1}\n'.repeat(100_000)));
        const scan = use.files.target.prepareScan?.({ ...described, verb: 'read', target: 'long.ndjson' });
        for await (const row of scan?.({}) ?? []) {
          expect(row).toEqual({ n: 1 });
          break;
        }
        await use.files.close();
      });

      test('that are passed on have a size, a version and parts, and stay what they were', async () => {
        await use.bed.put('a.bin', Buffer.from('0123456789'));
        const content = await downloaded('a.bin');
        expect([content.size, content.filename]).toEqual([10n, 'a.bin']);
        const { bytes } = content;
        expect((await bytes.part?.(2, 5).toArray())?.map(String)).toEqual(['234']);
        expect(Buffer.concat(await bytes.stream().toArray()).toString()).toBe('0123456789');
        const other = await downloaded('a.bin');
        expect(other.bytes.version).toEqual(bytes.version);
      });
    });
  });
}
