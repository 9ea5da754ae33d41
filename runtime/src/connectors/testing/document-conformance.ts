import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CallResult } from '../../foundation/contracts/call-result.ts';
import type { CallDescription, CallRequest } from '../../foundation/contracts/target.ts';
import { failures } from '../../foundation/errors/failures.ts';
import type { TargetConnector } from './target-conformance.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What is done with documents. */
export type DocumentWork = 'create' | 'read' | 'update' | 'delete';

/** A collection of its own, and how it is asked. Searches find what was written before. */
export interface DocumentBed {
  /** Open. */
  readonly connector: TargetConnector;
  /** The collection. */
  readonly target: string;
  /** Another one, that a message may not name: `connector` lists the first one alone. */
  readonly unlisted: string;
  /** The operation of each work, as flows write it. */
  readonly operations: Readonly<Record<DocumentWork, string>>;
  /** The field by which one document is found, and those of an answer that the store adds. */
  readonly id: string;
  readonly added: readonly string[];
  /** Whether integers beyond 2^53 keep their digits in documents. */
  readonly keepsDigits: boolean;
  /** Whether a list may hold lists. */
  readonly nestsLists: boolean;
  /** Values that the store would read as a part of its query language. */
  readonly hostile: readonly unknown[];
  /** What pages a read, by the parameters that a named operation declares; absent where it is asked in another way. */
  readonly pages?:
    | { readonly parameters: readonly string[]; readonly limit: string; readonly offset: string }
    | undefined;
  /** Largest number of documents of one read. */
  readonly most: number;
  empty(): Promise<void>;
  close(): Promise<void>;
}

/** What every store of documents promises. A new one joins with one call. */
export function documentConformance(name: string, makeBed: () => Promise<DocumentBed>): void {
  describe(`documents of ${name}`, () => {
    let bed: DocumentBed;
    beforeAll(async () => {
      bed = await makeBed();
    });
    afterAll(() => bed?.close());
    beforeEach(() => bed.empty());

    async function run(
      work: DocumentWork,
      request: CallRequest,
      call: Partial<CallDescription> = {},
    ): Promise<CallResult> {
      const execute = bed.connector.target.prepare({
        verb: work,
        operation: bed.operations[work],
        target: bed.target,
        query: undefined,
        timeout: undefined,
        exact: false,
        flow: 'f',
        label: 'to "documents"',
        ...call,
      });
      return execute(request);
    }
    const create = (payload: Fields) => run('create', { payload });
    const found = async (filters: Fields, call?: Partial<CallDescription>): Promise<readonly Fields[]> =>
      ((await run('read', { filters }, call)).rows ?? []).map(withoutAdded);
    const withoutAdded = (row: Fields): Fields =>
      Object.fromEntries(Object.entries(row).filter(([field]) => !bed.added.includes(field)));
    const one = (id: string, more: Fields = {}): Fields => ({ [bed.id]: id, ...more });
    const named = (rows: readonly Fields[]) => rows.map(({ name: each }) => each).sort();
    const codeOf = async (work: () => Promise<unknown>): Promise<string> => {
      try {
        await work();
        return 'done';
      } catch (error) {
        return String((error as { readonly code?: unknown }).code);
      }
    };

    test('a document is created, found, changed and deleted, and the answers say so', async () => {
      expect(await create(one('a', { name: 'ann', n: 1 }))).toMatchObject({ affected: 1, id: 'a' });
      await create(one('b', { name: 'bob', n: 2 }));
      expect(await found({ name: 'ann' })).toMatchObject([{ name: 'ann', n: 1 }]);
      const change = { filters: one('a'), payload: { n: 5 } };
      expect(await run('update', change)).toMatchObject({ affected: 1 });
      expect(await found({ name: 'ann' })).toMatchObject([{ name: 'ann', n: 5 }]);
      expect(await run('delete', { filters: one('a') })).toMatchObject({ affected: 1 });
      expect(named(await found({}))).toEqual(['bob']);
    });

    test('values come back as they went in', async () => {
      const values = {
        text: 'ä \u{1f600} "x"',
        yes: true,
        none: null,
        half: 0.5,
        list: bed.nestsLists ? [1, 2, [3]] : [1, 2, 3],
        nested: { empty: {}, nothing: [], deep: { er: 'x' } },
        constructor: 'own',
      };
      await create(one('a', { name: 'values', ...values }));
      expect((await found({ name: 'values' }))[0]).toMatchObject(values);
    });

    test('integers beyond 2^53 keep their digits where the store does', async () => {
      if (!bed.keepsDigits) return;
      await create(one('a', { name: 'big', n: 2n ** 62n }));
      expect(await found({ name: 'big' }, { exact: true })).toMatchObject([{ n: 2n ** 62n }]);
    });

    test('a list finds any of its values, and null what has no value', async () => {
      await Promise.all([create(one('a', { name: 'ann', n: 1 })), create(one('b', { name: 'bob' }))]);
      await create(one('c', { name: 'cid', n: 3 }));
      expect(named(await found({ name: ['ann', 'cid', 'dan'] }))).toEqual(['ann', 'cid']);
      expect(named(await found({ name: [] }))).toEqual([]);
      expect(named(await found({ n: null }))).toEqual(['bob']);
    });

    test('S-50: what the store would read as its language is data in every place', async () => {
      await create(one('a', { name: 'ann', password: 'secret' }));
      for (const value of bed.hostile) {
        const filters = { name: 'ann', password: value };
        const asked = await run('read', { filters }).catch((error: unknown) => error);
        if (asked instanceof Error) expect(failures[codeIn(asked)].callers).toBe(true);
        else expect(asked).toMatchObject({ rows: [] });
        for (const work of ['update', 'delete'] as const)
          await run(work, { filters: { ...one('b'), password: value }, payload: { name: 'other' } }).catch(
            () => undefined,
          );
        expect(await found({ name: 'ann' })).toMatchObject([{ name: 'ann', password: 'secret' }]);
      }
    });

    test('S-49: a message names a collection of the list, and no other', async () => {
      const asked = (target: string) => run('read', { target, filters: {} }, { target: undefined });
      expect(await asked(bed.target)).toMatchObject({ rows: [] });
      for (const target of [bed.unlisted, `${bed.target} `, `../${bed.target}`, '', '*'])
        expect([target, await codeOf(() => asked(target))]).not.toEqual([target, 'done']);
    });

    test('a change without a filter is refused, and nothing is changed', async () => {
      await create(one('a', { name: 'ann' }));
      for (const work of ['update', 'delete'] as const)
        for (const filters of [undefined, {}, { name: undefined }])
          expect(await codeOf(() => run(work, { filters, payload: { name: 'x' } }))).not.toBe('done');
      expect(named(await found({}))).toEqual(['ann']);
    });

    test('many at a time are all there, each once', async () => {
      const names = Array.from({ length: 60 }, (_, at) => `n${String(at).padStart(2, '0')}`);
      await Promise.all(names.map((each) => create(one(each, { name: each }))));
      const rows = await Promise.all(names.map((each) => found({ name: each })));
      expect(rows.map((each) => each.length)).toEqual(names.map(() => 1));
    });

    test('pages have every document once, and none is larger than one read may be', async () => {
      const { pages } = bed;
      if (pages === undefined) return;
      for (let at = 0; at < 7; at++) await create(one(`p${at}`, { name: `p${at}`, n: at }));
      const page = async (limit: number, offset: number) => {
        const params = { [pages.limit]: limit, [pages.offset]: offset, sort: 'n' };
        const { rows = [] } = await run('read', { params }, { parameters: pages.parameters });
        return rows.map(({ n }) => n);
      };
      expect([await page(3, 0), await page(3, 3), await page(3, 6)]).toEqual([[0, 1, 2], [3, 4, 5], [6]]);
      expect(await codeOf(() => page(bed.most + 1, 0))).toBe('value_refused');
    });
  });
}

function codeIn(error: Error): keyof typeof failures {
  return (error as Error & { readonly code: keyof typeof failures }).code;
}
