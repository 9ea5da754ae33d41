import { describe, expect, test } from 'vitest';
import { contentOf, described, failureOf } from './asking.ts';
import type { FilesInUse } from './files-bed.ts';

/** What all stores promise of files that are written, and of those that are written behind. */
export function writingConformance(use: FilesInUse): void {
  const { call, downloaded, open, value } = use;

  describe('writing and reading', () => {
    test('a file is written in the format of its name and read again as rows', async () => {
      const rows = [
        { id: '1', name: 'a, "b"' },
        { id: '2', name: 'ä\nö' },
      ];
      for (const path of ['a.json', 'b.ndjson', 'c.csv', 'd.tsv', 'e.xml'])
        await call('write', { path, content: path === 'e.xml' ? { row: rows } : rows });
      for (const path of ['a.json', 'b.ndjson', 'c.csv', 'd.tsv', 'e.xml'])
        expect([path, await value('read', { path })]).toEqual([path, rows]);
    });

    test('the format of a call wins over the name, and that of the name over the connector', async () => {
      await call('write', { path: 'a.json', content: [{ a: 1 }], format: 'ndjson' });
      await call('write', { path: 'plain', content: [{ a: 1 }] });
      expect((await use.bed.bytesOf('a.json')).toString()).toBe('{"a":1}\n');
      expect((await use.bed.bytesOf('plain')).toString()).toBe('[\n  {\n    "a": 1\n  }\n]\n');
      const other = await open({ format: 'ndjson' });
      const prepared = other.target.prepare({ ...described, verb: 'create', target: 'other' });
      await prepared({ payload: { a: 2 } });
      expect((await use.bed.bytesOf('other')).toString()).toBe('{"a":2}\n');
      await other.close();
    });

    test('texts and bytes are written as they are, whatever the format', async () => {
      expect(await value('write', { path: 'a.json', content: 'no { json' })).toEqual(use.bed.written('a.json', 9));
      expect(await value('write', { path: 'a.csv', content: Buffer.from([0, 255, 1]) })).toEqual(
        use.bed.written('a.csv', 3),
      );
      expect([await use.bed.bytesOf('a.json'), await use.bed.bytesOf('a.csv')]).toEqual([
        Buffer.from('no { json'),
        Buffer.from([0, 255, 1]),
      ]);
      const data = Uint8Array.of(0, 255, 1);
      const row = use.bed.wholeRow?.('a.csv', data, 3) ?? { data, size: 3 };
      expect(await value('read', { path: 'a.csv', format: 'binary' })).toEqual([row]);
    });

    test('the payload is what is written where no content is given', async () => {
      const execute = use.files.target.prepare({ ...described, verb: 'create', target: 'in/one.json' });
      const answer = await execute({ payload: { a: 1, b: ['x'] } });
      expect(answer).toEqual({ affected: 1, value: use.bed.written('in/one.json', 35) });
      const read = use.files.target.prepare({ ...described, verb: 'read', target: 'in/one.json' });
      expect(await read({})).toEqual({ rows: [{ a: 1, b: ['x'] }] });
    });

    test('nothing to write is refused, and leaves the file as it is', async () => {
      await use.bed.put('a.json', Buffer.from('[]'));
      for (const content of [undefined, null, {}])
        expect((await failureOf(call('write', { path: 'a.json', content }))).code).toBe('nothing_to_write');
      expect((await use.bed.bytesOf('a.json')).toString()).toBe('[]');
    });

    test('A-02: names with blanks, umlauts, quotes, percent signs and plus signs stay what they are', async () => {
      const paths = [
        'a b.txt',
        'äß€.txt',
        'it\'s "q".txt',
        '100%.txt',
        '%41.txt',
        'a+b&c=d.txt',
        '日本/語.txt',
        '.hidden',
      ];
      for (const path of paths) await call('write', { path, content: `content of ${path}` });
      for (const path of paths) {
        expect((await use.bed.bytesOf(path)).toString()).toBe(`content of ${path}`);
        const content = `content of ${path}`;
        const row = use.bed.wholeRow?.(path, content, Buffer.byteLength(content)) ?? { content };
        expect(await value('read', { path, format: 'text' })).toEqual([row]);
      }
      const listed = (await value('list', { path: '', recursive: true })) as Record<string, unknown>[];
      expect(listed.filter(({ is_dir }) => is_dir !== true).map((row) => row[use.bed.named])).toEqual(
        [...paths].sort(),
      );
    });

    test('S-82: a source that fails leaves what was there, and nothing beside it', async () => {
      await use.bed.put('kept.txt', Buffer.from('before'));
      const before = await use.bed.names();
      const broken = contentOf(async function* () {
        yield Buffer.alloc(200_000, 'x');
        throw new Error('the sender went');
      });
      for (const path of ['kept.txt', 'new.txt']) await failureOf(call('write', { path, content: broken }));
      expect([(await use.bed.bytesOf('kept.txt')).toString(), await use.bed.names()]).toEqual(['before', before]);
    });

    test('A-05: a write whose message is cancelled ends, leaves what was there and ends its source', async () => {
      await use.bed.put('kept.txt', Buffer.from('before'));
      const before = await use.bed.names();
      const stop = new AbortController();
      let isEnded = false;
      const silent = contentOf(async function* () {
        try {
          yield Buffer.alloc(100_000, 'x');
          stop.abort();
          await new Promise(() => undefined);
        } finally {
          isEnded = true;
        }
      });
      const writing = call('write', { path: 'kept.txt', content: silent }, {}, { signal: stop.signal });
      expect((await failureOf(writing)).code).toBe('cancelled');
      await use.files.close();
      expect([(await use.bed.bytesOf('kept.txt')).toString(), await use.bed.names(), isEnded]).toEqual([
        'before',
        before,
        false,
      ]);
    });

    test('a file of many pieces comes and goes as it is', async () => {
      const bytes = Buffer.alloc(9 * 1024 * 1024 + 17);
      for (let at = 0; at < bytes.length; at += 4)
        bytes.writeUInt32LE((at * 2654435761) >>> 0, at & ~3 && at < bytes.length - 4 ? at : 0);
      const source = contentOf(async function* () {
        for (let at = 0; at < bytes.length; at += 70_001) yield Buffer.from(bytes.subarray(at, at + 70_001));
      });
      await call('write', { path: 'big.bin', content: source });
      expect((await use.bed.bytesOf('big.bin')).equals(bytes)).toBe(true);
      const content = await downloaded('big.bin');
      expect(Buffer.concat(await content.bytes.stream().toArray()).equals(bytes)).toBe(true);
    });

    test('two who write one file at once leave the whole of one of them', async () => {
      const texts = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(300_000));
      await Promise.all(texts.map((content) => call('write', { path: 'one.txt', content })));
      expect(texts).toContain((await use.bed.bytesOf('one.txt')).toString());
    });
  });

  describe('appending', () => {
    test('a table keeps its header and the order of its columns', async () => {
      if (!use.bed.appends) return;
      await call('append', { path: 't.csv', content: [{ a: 1, b: 2 }] });
      await call('append', { path: 't.csv', content: [{ b: 4, a: 3 }, { a: 5 }] });
      await call('write', { path: 't.csv', content: { b: 6 }, append: true });
      expect((await use.bed.bytesOf('t.csv')).toString()).toBe('a,b\r\n1,2\r\n3,4\r\n5,\r\n,6\r\n');
    });

    test('a value without a column, and a format that cannot be continued, are refused', async () => {
      if (!use.bed.appends) return;
      await call('append', { path: 't.csv', content: [{ a: 1 }] });
      const refused = await failureOf(call('append', { path: 't.csv', content: [{ a: 2, c: 3 }] }));
      expect([refused.code, refused.message]).toEqual(['value_refused', 'the file has no column "c": it has a']);
      const list = await failureOf(call('append', { path: 't.json', content: [{ a: 2 }] }));
      expect(list.code).toBe('value_refused');
      expect((await use.bed.bytesOf('t.csv')).toString()).toBe('a\r\n1\r\n');
    });

    test('many at once: every line is there once, whole, and one that has no end gets it', async () => {
      if (!use.bed.appends) return;
      await use.bed.put('l.ndjson', Buffer.from('{"n":0}'));
      const numbers = Array.from({ length: 20 }, (_, at) => at + 1);
      await Promise.all(numbers.map((n) => call('append', { path: 'l.ndjson', content: { n } })));
      const rows = (await value('read', { path: 'l.ndjson' })) as { readonly n: number }[];
      expect(rows.map(({ n }) => n).sort((a, b) => a - b)).toEqual([0, ...numbers]);
    });

    test('rows of a batch are written together, and one that is refused is distinguished from the others', async () => {
      if (!use.bed.appends) return;
      const write = use.files.target.prepareEach?.({
        ...described,
        verb: 'create',
        operation: 'append',
        target: 'b.csv',
      });
      const outcomes = await write?.([{ a: 1 }, { a: 2, z: 1 }, { a: 3 }], {});
      expect(outcomes).toEqual([undefined, expect.objectContaining({ code: 'value_refused' }), undefined]);
      expect((await use.bed.bytesOf('b.csv')).toString()).toBe('a\r\n1\r\n3\r\n');
    });
  });
}
