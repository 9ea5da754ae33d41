import { describe, expect, test } from 'vitest';
import type { Failure } from '../../../foundation/errors/failure.ts';
import { failureOf } from './asking.ts';
import type { FilesInUse } from './files-bed.ts';

/** What all stores promise of names: what each of them reaches, and that none leads out. */
export function namingConformance(use: FilesInUse): void {
  const { call, downloaded, value } = use;

  describe('S-81: names', () => {
    test('that lead out are refused by every operation, and nothing is done', async () => {
      await use.bed.put('a.txt', Buffer.from('text'));
      const before = await use.bed.names();
      for (const path of use.bed.outside) {
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
        expect([path, failures.map(({ code }) => code)]).toEqual([path, asked.map(() => 'value_refused')]);
      }
      expect(await use.bed.names()).toEqual(before);
    });

    test('that are the root are refused', async () => {
      for (const path of use.bed.roots)
        for (const operation of ['delete', 'write'])
          expect((await failureOf(call(operation, { path, content: 'x' }))).code).toBe('value_refused');
    });

    test('that are spelled otherwise are one file', async () => {
      await use.bed.put('in/a.txt', Buffer.from('text'));
      for (const path of use.bed.spellings)
        expect(await value('exists', { path })).toEqual({ exists: true, [use.bed.named]: 'in/a.txt' });
    });

    test('that are not texts are refused', async () => {
      for (const path of [true, ['a'], { a: 1 }])
        expect((await failureOf(call('read', { path }))).code).toBe('value_refused');
    });
  });

  describe('names that differ', () => {
    const named = (rows: unknown) =>
      (rows as Record<string, unknown>[])
        .filter(({ is_dir }) => is_dir !== true)
        .map((row) => row[use.bed.named])
        .sort();

    async function puts(): Promise<readonly string[]> {
      const names = use.bed.different;
      await Promise.all(names.map((name) => use.bed.put(name, Buffer.from(`of ${name}`))));
      return names;
    }

    test('are listed as they are, and what is read of one is its own', async () => {
      const names = await puts();
      expect(named(await value('list', { recursive: true }))).toEqual([...names].sort());
      for (const path of names) {
        const bytes = Buffer.from(`of ${path}`);
        const row = use.bed.wholeRow?.(path, String(bytes), bytes.length) ?? { content: String(bytes) };
        expect([path, await value('read', { path, format: 'text' })]).toEqual([path, [row]]);
        expect(await value('exists', { path })).toEqual({ exists: true, [use.bed.named]: path });
        expect(await value('stat', { path })).toMatchObject({ [use.bed.named]: path, size: bytes.length });
        expect(Buffer.concat(await (await downloaded(path)).bytes.stream().toArray()).equals(bytes)).toBe(true);
      }
    });

    test('are written, copied, moved and deleted one by one, and no other is touched', async () => {
      const names = await puts();
      const kept = new Map(names.map((name) => [name, `of ${name}`]));
      const check = async (what: string) => {
        expect([what, named(await value('list', { recursive: true }))]).toEqual([what, [...kept.keys()].sort()]);
        for (const [name, content] of kept)
          expect([name, String(await use.bed.bytesOf(name))]).toEqual([name, content]);
      };
      for (const path of names) {
        await call('write', { path, content: `new of ${path}` });
        kept.set(path, `new of ${path}`);
      }
      await check('written');
      for (const source of names) {
        const destination = `copies/${source}`;
        expect(await value('copy', { source, destination })).toMatchObject({ source, dest: destination });
        kept.set(destination, `new of ${source}`);
      }
      await check('copied');
      for (const source of names) {
        const destination = `moved/${source}`;
        expect(await value('move', { source, destination })).toEqual({ moved: true, source, dest: destination });
        kept.delete(source);
        kept.set(destination, `new of ${source}`);
      }
      await check('moved');
      for (const path of [...kept.keys()]) {
        expect(await value('delete', { path })).toEqual({ deleted: true, [use.bed.named]: path });
        kept.delete(path);
        const { code } = (await failureOf(call('delete', { path }))) as Failure;
        expect([path, code]).toEqual([path, 'not_found']);
      }
      await check('deleted');
    });
  });
}

/** What leads out of a store of paths, in the spellings that parts behind it might read. */
export const pathsOutside: readonly string[] = [
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

/** What names are of a store of paths. */
export const ofPaths = {
  outside: pathsOutside,
  roots: ['', '/', '.', 'in/..'],
  spellings: ['/in/./a.txt', 'in//a.txt', 'in/b/../a.txt'],
  different: ['a b', 'a+b', 'a%20b', '%41', 'A', 'ä', '日本', '.a', 'a?b=c#d', 'in/a'],
} as const;
