import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectorServices, type LogLine, recordingLog } from '../../../../../test/support/connector-services.ts';
import type { ConnectorServices } from '../../../contracts/connector.ts';
import { Content, ContentOwner } from '../../../contracts/content.ts';
import type { CallDescription, CallRequest, CallResult } from '../../../contracts/target.ts';
import type { Failure } from '../../../errors/failure.ts';
import type { TargetConnector } from '../../testing/target-conformance.ts';

/** A store of its own at a real server, and connectors of it. */
export interface FilesBed {
  /** Makes a connector that is not open, with these attributes over those of the bed. */
  connector(written: Readonly<Record<string, unknown>>, services: ConnectorServices): TargetConnector;
  /** What the answer of a write says of a file of so many bytes, for `expect`. */
  written(path: string, size: number): unknown;
  /** What the row of a text or of bytes says of a file. Absent: `{content}` and `{data, size}`. */
  readonly wholeRow?: ((path: string, content: string | Uint8Array, size: number) => unknown) | undefined;
  /** What paths are called. */
  readonly named: 'path' | 'key';
  /** The bytes of a file as another program reads them. */
  bytesOf(path: string): Promise<Buffer>;
  /** Puts a file there as another program does. */
  put(path: string, bytes: Buffer): Promise<void>;
  /** Names of everything below the root, files that are being written too. */
  names(): Promise<readonly string[]>;
  /** The store has folders of their own. */
  readonly hasFolders: boolean;
  /** A file can be written behind. */
  readonly appends: boolean;
  close(): Promise<void>;
}

const never = new AbortController().signal;

/** What all stores of files promise. A new one is tested with one call. */
export function filesConformance(name: string, makeBed: () => Promise<FilesBed>): void {
  describe(`files ${name}`, () => {
    let bed: FilesBed;
    let lines: LogLine[];
    let files: TargetConnector;
    const owners: ContentOwner[] = [];
    beforeEach(async () => {
      bed = await makeBed();
      lines = [];
      files = await open();
    });
    afterEach(async () => {
      for (const owner of owners.splice(0)) owner.release();
      await files.close(AbortSignal.abort());
      await bed.close();
    });

    async function open(written: Readonly<Record<string, unknown>> = {}): Promise<TargetConnector> {
      const connector = bed.connector(written, connectorServices({ log: recordingLog(lines) }));
      await connector.open(never);
      return connector;
    }

    /** One call, as a step makes it. */
    async function call(
      operation: string,
      params: Readonly<Record<string, unknown>>,
      described: Partial<CallDescription> = {},
      request: CallRequest = {},
    ): Promise<CallResult> {
      const execute = files.target.prepare({
        verb: 'call',
        operation,
        target: undefined,
        query: undefined,
        timeout: undefined,
        exact: false,
        flow: 'f',
        label: 'step "s"',
        ...described,
      });
      return execute({ params, ...request });
    }

    const value = async (...asked: Parameters<typeof call>) => (await call(...asked)).value;

    async function downloaded(path: string): Promise<Content> {
      const owner = new ContentOwner();
      owners.push(owner);
      return (await value('download', { path }, {}, { contents: owner })) as Content;
    }

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
        expect((await bed.bytesOf('a.json')).toString()).toBe('{"a":1}\n');
        expect((await bed.bytesOf('plain')).toString()).toBe('[\n  {\n    "a": 1\n  }\n]\n');
        const other = await open({ format: 'ndjson' });
        const prepared = other.target.prepare({ ...described, verb: 'create', target: 'other' });
        await prepared({ payload: { a: 2 } });
        expect((await bed.bytesOf('other')).toString()).toBe('{"a":2}\n');
        await other.close();
      });

      test('texts and bytes are written as they are, whatever the format', async () => {
        expect(await value('write', { path: 'a.json', content: 'no { json' })).toEqual(bed.written('a.json', 9));
        expect(await value('write', { path: 'a.csv', content: Buffer.from([0, 255, 1]) })).toEqual(
          bed.written('a.csv', 3),
        );
        expect([await bed.bytesOf('a.json'), await bed.bytesOf('a.csv')]).toEqual([
          Buffer.from('no { json'),
          Buffer.from([0, 255, 1]),
        ]);
        const data = Uint8Array.of(0, 255, 1);
        const row = bed.wholeRow?.('a.csv', data, 3) ?? { data, size: 3 };
        expect(await value('read', { path: 'a.csv', format: 'binary' })).toEqual([row]);
      });

      test('the payload is what is written where no content is given', async () => {
        const execute = files.target.prepare({ ...described, verb: 'create', target: 'in/one.json' });
        const answer = await execute({ payload: { a: 1, b: ['x'] } });
        expect(answer).toEqual({ affected: 1, value: bed.written('in/one.json', 35) });
        const read = files.target.prepare({ ...described, verb: 'read', target: 'in/one.json' });
        expect(await read({})).toEqual({ rows: [{ a: 1, b: ['x'] }] });
      });

      test('nothing to write is refused, and leaves the file as it is', async () => {
        await bed.put('a.json', Buffer.from('[]'));
        for (const content of [undefined, null, {}])
          expect((await failureOf(call('write', { path: 'a.json', content }))).code).toBe('nothing_to_write');
        expect((await bed.bytesOf('a.json')).toString()).toBe('[]');
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
          expect((await bed.bytesOf(path)).toString()).toBe(`content of ${path}`);
          const content = `content of ${path}`;
          const row = bed.wholeRow?.(path, content, Buffer.byteLength(content)) ?? { content };
          expect(await value('read', { path, format: 'text' })).toEqual([row]);
        }
        const listed = (await value('list', { path: '', recursive: true })) as Record<string, unknown>[];
        expect(listed.filter(({ is_dir }) => is_dir !== true).map((row) => row[bed.named])).toEqual([...paths].sort());
      });

      test('S-82: a source that fails leaves what was there, and nothing beside it', async () => {
        await bed.put('kept.txt', Buffer.from('before'));
        const before = await bed.names();
        const broken = contentOf(async function* () {
          yield Buffer.alloc(200_000, 'x');
          throw new Error('the sender went');
        });
        for (const path of ['kept.txt', 'new.txt']) await failureOf(call('write', { path, content: broken }));
        expect([(await bed.bytesOf('kept.txt')).toString(), await bed.names()]).toEqual(['before', before]);
      });

      test('A-05: a write whose message is cancelled ends, leaves what was there and ends its source', async () => {
        await bed.put('kept.txt', Buffer.from('before'));
        const before = await bed.names();
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
        await files.close();
        expect([(await bed.bytesOf('kept.txt')).toString(), await bed.names(), isEnded]).toEqual([
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
        expect((await bed.bytesOf('big.bin')).equals(bytes)).toBe(true);
        const content = await downloaded('big.bin');
        expect(Buffer.concat(await content.bytes.stream().toArray()).equals(bytes)).toBe(true);
      });

      test('two who write one file at once leave the whole of one of them', async () => {
        const texts = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(300_000));
        await Promise.all(texts.map((content) => call('write', { path: 'one.txt', content })));
        expect(texts).toContain((await bed.bytesOf('one.txt')).toString());
      });
    });

    describe('appending', () => {
      test('a table keeps its header and the order of its columns', async () => {
        if (!bed.appends) return;
        await call('append', { path: 't.csv', content: [{ a: 1, b: 2 }] });
        await call('append', { path: 't.csv', content: [{ b: 4, a: 3 }, { a: 5 }] });
        await call('write', { path: 't.csv', content: { b: 6 }, append: true });
        expect((await bed.bytesOf('t.csv')).toString()).toBe('a,b\r\n1,2\r\n3,4\r\n5,\r\n,6\r\n');
      });

      test('a value without a column, and a format that cannot be continued, are refused', async () => {
        if (!bed.appends) return;
        await call('append', { path: 't.csv', content: [{ a: 1 }] });
        const refused = await failureOf(call('append', { path: 't.csv', content: [{ a: 2, c: 3 }] }));
        expect([refused.code, refused.message]).toEqual(['value_refused', 'the file has no column "c": it has a']);
        const list = await failureOf(call('append', { path: 't.json', content: [{ a: 2 }] }));
        expect(list.code).toBe('value_refused');
        expect((await bed.bytesOf('t.csv')).toString()).toBe('a\r\n1\r\n');
      });

      test('many at once: every line is there once, whole, and one that has no end gets it', async () => {
        if (!bed.appends) return;
        await bed.put('l.ndjson', Buffer.from('{"n":0}'));
        const numbers = Array.from({ length: 20 }, (_, at) => at + 1);
        await Promise.all(numbers.map((n) => call('append', { path: 'l.ndjson', content: { n } })));
        const rows = (await value('read', { path: 'l.ndjson' })) as { readonly n: number }[];
        expect(rows.map(({ n }) => n).sort((a, b) => a - b)).toEqual([0, ...numbers]);
      });

      test('rows of a batch are written together, and one that is refused is distinguished from the others', async () => {
        if (!bed.appends) return;
        const write = files.target.prepareEach?.({
          ...described,
          verb: 'create',
          operation: 'append',
          target: 'b.csv',
        });
        const outcomes = await write?.([{ a: 1 }, { a: 2, z: 1 }, { a: 3 }], {});
        expect(outcomes).toEqual([undefined, expect.objectContaining({ code: 'value_refused' }), undefined]);
        expect((await bed.bytesOf('b.csv')).toString()).toBe('a\r\n1\r\n3\r\n');
      });
    });

    describe('folders', () => {
      test('a list has names, sizes and times, ordered by path; a pattern narrows it', async () => {
        for (const path of ['b.txt', 'a/c.csv', 'a/d/e.csv', 'a/f.txt']) await bed.put(path, Buffer.from(path));
        const rows = (await value('list', { path: 'a', recursive: true })) as Record<string, unknown>[];
        const shown = rows
          .filter(({ is_dir }) => is_dir !== true)
          .map((row) => [row[bed.named], row['size'], typeof (row['mod_time'] ?? row['last_modified'])]);
        expect(shown).toEqual([
          ['a/c.csv', 7, 'string'],
          ['a/d/e.csv', 9, 'string'],
          ['a/f.txt', 7, 'string'],
        ]);
        const csv = (await value('list', { path: '', recursive: true, pattern: '*.csv' })) as Record<string, unknown>[];
        expect(csv.map((row) => row[bed.named])).toEqual(['a/c.csv', 'a/d/e.csv']);
        const deep = (await value('list', { path: 'a', recursive: true, pattern: 'd/*' })) as Record<string, unknown>[];
        expect(deep.map((row) => row[bed.named])).toEqual(['a/d/e.csv']);
      });

      test('reading a path that ends in / lists it', async () => {
        await bed.put('a/c.csv', Buffer.from('x'));
        const rows = (await value('read', { path: 'a/' })) as Record<string, unknown>[];
        expect(rows.map((row) => row[bed.named])).toEqual(['a/c.csv']);
      });

      test('a list that would have too many entries is refused', async () => {
        for (const path of ['a', 'b', 'c']) await bed.put(path, Buffer.from('x'));
        const narrow = await open({ max_entries: 2 });
        const list = narrow.target.prepare({ ...described, operation: 'list' });
        expect((await failureOf(Promise.resolve().then(() => list({ params: {} })))).code).toBe('body_too_large');
        await narrow.close();
      });
    });

    describe('files', () => {
      test('exist or not, are described, copied, moved and deleted', async () => {
        await bed.put('a.txt', Buffer.from('text'));
        const { named } = bed;
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
        expect((await bed.bytesOf('c.txt')).toString()).toBe('text');
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
        await bed.put('long.ndjson', Buffer.from(text));
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
        await bed.put('long.ndjson', Buffer.from('{"n":1}\n'.repeat(100_000)));
        const scan = files.target.prepareScan?.({ ...described, verb: 'read', target: 'long.ndjson' });
        for await (const row of scan?.({}) ?? []) {
          expect(row).toEqual({ n: 1 });
          break;
        }
        await files.close();
      });

      test('that are passed on have a size, a version and parts, and stay what they were', async () => {
        await bed.put('a.bin', Buffer.from('0123456789'));
        const content = await downloaded('a.bin');
        expect([content.size, content.filename]).toEqual([10n, 'a.bin']);
        const { bytes } = content;
        expect((await bytes.part?.(2, 5).toArray())?.map(String)).toEqual(['234']);
        expect(Buffer.concat(await bytes.stream().toArray()).toString()).toBe('0123456789');
        const other = await downloaded('a.bin');
        expect(other.bytes.version).toEqual(bytes.version);
      });
    });

    describe('S-81: paths', () => {
      const outside = [
        '..',
        '../x',
        'a/../../x',
        '/../x',
        '..\\x',
        'a\\..\\..\\x',
        '%2e%2e/x',
        '%2e%2e%2fx',
        '%252e%252e%252fx',
        '..%5cx',
        '\uff0e\uff0e/x',
        'a\0b',
        '%00',
        'x'.repeat(1025),
      ];
      test.each(outside)('%j is refused by every operation, and nothing is done', async (path) => {
        await bed.put('a.txt', Buffer.from('text'));
        const before = await bed.names();
        const asked = [
          call('read', { path }),
          downloaded(path),
          call('write', { path, content: 'x' }),
          call('delete', { path }),
          call('stat', { path }),
          call('exists', { path }),
          call('list', { path }),
          call('copy', { source: 'a.txt', destination: path }),
          call('move', { source: path, destination: 'b.txt' }),
        ];
        const failures = await Promise.all(asked.map(failureOf));
        expect(failures.map(({ code }) => code)).toEqual(asked.map(() => 'value_refused'));
        expect(await bed.names()).toEqual(before);
      });

      test('the root of the store is what / is', async () => {
        await call('write', { path: '/in/./a.txt', content: 'x' });
        expect(await value('exists', { path: 'in/b/../a.txt' })).toMatchObject({ exists: true });
        for (const path of ['', '/', '.', 'in/..'])
          for (const operation of ['delete', 'write'])
            expect((await failureOf(call(operation, { path, content: 'x' }))).code).toBe('value_refused');
      });

      test('a path that is not a text is refused', async () => {
        for (const path of [true, ['a'], { a: 1 }])
          expect((await failureOf(call('read', { path }))).code).toBe('value_refused');
      });
    });
  });
}

const described: CallDescription = {
  verb: 'call',
  operation: undefined,
  target: undefined,
  query: undefined,
  timeout: undefined,
  exact: false,
  flow: 'f',
  label: 'to "files"',
};

/** A content whose bytes come from a generator, each time from the beginning. */
function contentOf(pieces: () => AsyncGenerator<Buffer>): Content {
  const bytes = {
    size: undefined,
    once: false,
    inMemory: undefined,
    stream: () => Readable.from(pieces(), { objectMode: false }),
    read: () => Buffer.alloc(0),
  };
  return new Content(bytes, { filename: '', contentType: '' }, new Uint8Array());
}

async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  return promise.then(
    (answer) => expect.fail(`it did not fail, and answered ${JSON.stringify(answer)}`),
    (error: unknown) => error as Failure,
  );
}
