import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallResult } from '../../foundation/contracts/call-result.ts';
import type { CallDescription } from '../../foundation/contracts/target.ts';
import type { DatabaseConnector } from './engine.ts';
import { engines, type OpenEngine } from './testing/engines.ts';
import { describeCall, failureOf, never, sql } from './testing/parts.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Texts that some way of writing takes for something else. */
const texts = [
  '',
  ' ',
  '\\',
  '\\N',
  '\\.',
  'a\tb\nc\rd\\e',
  "it's",
  '"',
  '{}',
  'NULL',
  '日本 😀',
  '%s ? :x $1',
  'ä'.repeat(20_000),
];

describe.each(engines)('rows that are written at once to $engine', (bed) => {
  const { skip, name: keyText, columns, ownValues, isServer } = bed;
  describe.skipIf(skip)('and one after another', () => {
    let engine: OpenEngine;
    let connector: DatabaseConnector;

    beforeAll(async () => {
      engine = await bed.start();
      ({ connector } = engine);
    });
    afterAll(() => engine.end());

    const callFor = (target: string, conflict?: readonly string[]): CallDescription =>
      describeCall('create', {
        target,
        operation: conflict === undefined ? 'INSERT' : 'UPSERT',
        words: conflict === undefined ? {} : { conflict },
      });
    const ready = async (rows: readonly Fields[], target: string, conflict?: readonly string[], on = connector) =>
      on.target.prepareRows?.(callFor(target, conflict))?.(rows);
    /** Answers how many were written; fails when the connector would write them one after another. */
    const write = async (rows: readonly Fields[], target: string, conflict?: readonly string[], on = connector) => {
      const prepared = await ready(rows, target, conflict, on);
      if (prepared === undefined) throw new Error('they are not written at once');
      return on.target.transactions.run(prepared, undefined);
    };
    const alone = (row: Fields, target: string): CallResult | Promise<CallResult> =>
      connector.target.prepare(callFor(target))({ payload: row });
    const read = async (table: string) => (await sql(connector, `SELECT * FROM ${table} ORDER BY 1`, {}, true)).rows;
    const count = async (table: string) =>
      Number((await sql(connector, `SELECT count(*) AS n FROM ${table}`)).rows?.[0]?.['n']);
    const counted = (n: number, more: Fields = {}) => Array.from({ length: n }, (_, at) => ({ id: at + 1, ...more }));
    let tables = 0;
    const table = async (definitions: string, end = '') => {
      const made = `many_${++tables}`;
      await sql(connector, `CREATE TABLE ${made} (${definitions}) ${end}`);
      return made;
    };

    test('hold the same values', async () => {
      const types = [
        'INTEGER',
        'BIGINT',
        'TEXT',
        'DOUBLE PRECISION',
        'BOOLEAN',
        'JSON',
        'BYTES',
        'DECIMAL',
        'DATE',
        'TIMESTAMP',
      ];
      const definitions = types.map((type, at) => `v${at} ${columns[type] ?? type}`).join(', ');
      const [one, many] = [await table(`id INTEGER, ${definitions}`), await table(`id INTEGER, ${definitions}`)];
      const values = [
        [
          1,
          2n ** 60n,
          'x',
          1.25,
          true,
          { a: [1, null, 'x'] },
          Buffer.from([0, 92, 9, 10, 255]),
          '12.50',
          '2026-01-02',
          '2026-01-02T03:04:05.123Z',
        ],
        [
          5.0,
          -7n,
          5.0,
          3,
          false,
          [1, { b: '\\\t\n' }],
          Buffer.alloc(0),
          2,
          new Date('2026-01-02T00:00:00Z'),
          new Date('2026-01-02T03:04:05Z'),
        ],
        types.map(() => null),
        ...texts.map((text) => [
          0,
          '17',
          text,
          1e21,
          true,
          { [text]: text },
          Buffer.from(text),
          '1',
          '2026-01-02',
          '2026-01-02T05:04:05+02:00',
        ]),
      ].flat(0) as unknown[][];
      const rows = values.map((row, id) =>
        Object.fromEntries([['id', id], ...types.map((_, at) => [`v${at}`, row[at]])]),
      );
      for (const row of rows) await alone(row, one);
      expect(await write(rows, many)).toBe(rows.length);
      expect(await read(many)).toEqual(await read(one));
      expect(await count(many)).toBe(rows.length);
    });

    test.each(ownValues)('hold the same values of $type: $write', async ({ type, before = [], write: value }) => {
      for (const statement of before) await sql(connector, statement).catch(() => undefined);
      const [one, many] = [await table(`id INTEGER, v ${type}`), await table(`id INTEGER, v ${type}`)];
      const rows = [1, 2, 3].map((id) => ({ id, v: value }));
      for (const row of rows) await alone(row, one);
      expect(await write(rows, many)).toBe(3);
      expect(await read(many)).toEqual(await read(one));
    });

    test('have their columns each, in their order; what is not written has its default', async () => {
      const target = await table(
        `${connector.dialect.quote('the "key')} ${bed.key}, a ${keyText} DEFAULT 'none', b INTEGER`,
      );
      expect(await write([{ a: 'x' }, { a: 'y' }, { b: 1 }, { b: 2, a: undefined }, { b: 3, a: 'z' }], target)).toBe(5);
      expect((await read(target))?.map(({ a, b }) => [a, b])).toEqual([
        ['x', null],
        ['y', null],
        ['none', 1n],
        ['none', 2n],
        ['z', 3n],
      ]);
    });

    test('are many, of many columns', { timeout: 60_000 }, async () => {
      const names = Array.from({ length: 60 }, (_, at) => `c${at}`);
      const target = await table(names.map((each) => `${each} INTEGER`).join(', '));
      const rows = Array.from({ length: 3_000 }, (_, id) =>
        Object.fromEntries(names.map((each, at) => [each, id * at])),
      );
      expect(await write(rows, target)).toBe(3_000);
      const sums = (await sql(connector, `SELECT sum(c1) AS a, sum(c59) AS b FROM ${target}`)).rows?.[0];
      const sum = (3_000 * 2_999) / 2;
      expect([Number(sums?.['a']), Number(sums?.['b'])]).toEqual([sum, sum * 59]);
    });

    test('change those that exist in an upsert, and count each once', async () => {
      const target = await table(`id INTEGER PRIMARY KEY, a ${keyText}, b INTEGER DEFAULT 5`, bed.withoutCounter);
      await sql(connector, `INSERT INTO ${target} (id, a, b) VALUES (2, 'old', 7), (3, 'c', 8)`);
      const rows = [1, 2, 3].map((id) => ({ id, a: 'abc'[id - 1] }));
      expect(await write(rows, target, ['id'])).toBe(3);
      expect(await write(rows, target, ['id'])).toBe(3);
      expect(await read(target)).toEqual([
        { id: 1n, a: 'a', b: 5n },
        { id: 2n, a: 'b', b: 7n },
        { id: 3n, a: 'c', b: 8n },
      ]);
      const large = counted(1_001, { a: 'x' });
      expect(await write(large, target, ['id'])).toBe(1_001);
      expect(await count(target)).toBe(1_001);
    });

    test('R-93: disappear together when one of them fails, and the next ones are written', async () => {
      const target = await table('id INTEGER PRIMARY KEY, n INTEGER NOT NULL', bed.withoutCounter);
      const rows = counted(700, { n: 1 });
      for (const wrong of [
        { id: 1, n: 2 },
        { id: 701, n: null },
      ]) {
        const failure = await failureOf(() => write([...rows, wrong], target));
        expect([failure.code, failure.retriable]).toEqual(['constraint_violated', false]);
        expect(await count(target)).toBe(0);
      }
      expect(await write(rows, target)).toBe(700);
    });

    test('are left to statements of their own when their names or values are refused', async () => {
      const target = await table(`id INTEGER PRIMARY KEY, a ${keyText}`, bed.withoutCounter);
      const [first] = counted(1);
      for (const odd of [{ id: 2, nope: 1 }, {}, { id: 2, ID: 3 }, { id: 'x' }, { id: undefined }])
        expect([odd, await ready([first as Fields, odd], target)]).toEqual([odd, undefined]);
      for (const odd of [{ a: 'x' }, { id: null }])
        expect([odd, await ready([odd], target, ['id'])]).toEqual([odd, undefined]);
      expect(await ready([{ id: 1, a: 'x' }], target, ['a'])).toBeUndefined();
      expect(await ready([{ id: 1 }], 'nowhere')).toBeUndefined();
      await sql(connector, `CREATE VIEW seen_${target} AS SELECT * FROM ${target}`);
      expect(await ready([{ id: 1 }], `seen_${target}`)).toBeUndefined();
      const others: Partial<CallDescription>[] = [
        { verb: 'update' },
        { query: 'SELECT 1' },
        { target: undefined },
        { operation: 'nope' },
      ];
      for (const other of others)
        expect(connector.target.prepareRows?.({ ...callFor(target), ...other })).toBeUndefined();
    });

    test('end with their caller, and leave the connection usable', async () => {
      const target = await table('id INTEGER PRIMARY KEY', bed.withoutCounter);
      const caller = new AbortController();
      const prepared = await ready(counted(500), target);
      const failure = await failureOf(() =>
        connector.target.transactions.run(async (within) => {
          await prepared?.(within);
          caller.abort(new Error('gone'));
          return prepared?.(within);
        }, caller.signal),
      );
      expect(failure.code).not.toBe('constraint_violated');
      expect(await count(target)).toBe(0);
      expect(await write(counted(500), target)).toBe(500);
    });

    test.skipIf(!isServer)('R-93: none is written when the connection breaks before COMMIT is sent', async () => {
      const target = await table('id INTEGER, a TEXT');
      const broken = await engine.breaking?.({ cut: (sent) => sent.includes('cut here') });
      const rows = [...counted(50, { a: 'x' }), { id: 51, a: 'cut here' }];
      expect(await failureOf(() => write(rows, target, undefined, broken))).toMatchObject({
        code: 'connector_refused',
        retriable: true,
      });
      expect(await count(target)).toBe(0);
      expect(await write(counted(2, { a: 'x' }), target, undefined, broken)).toBe(2);
    });

    test.skipIf(!isServer)('R-93, A-10: it is unknown whether they are when the answer to COMMIT is lost', async () => {
      const target = await table('id INTEGER');
      let isCommitting = false;
      const broken = await engine.breaking?.({
        cut: (sent) => {
          isCommitting ||= sent.includes('COMMIT');
          return false;
        },
        lose: () => isCommitting,
      });
      expect((await failureOf(() => write(counted(50), target, undefined, broken))).code).toBe('outcome_unknown');
      expect(await count(target)).toBe(50);
    });

    test.skipIf(!isServer)('wait for a lock no longer than a statement may take', { timeout: 30_000 }, async () => {
      const slow = await bed.start({ statement_timeout: 300 });
      try {
        const [holder, waiter] = [slow.connector, await slow.another()];
        await sql(holder, 'CREATE TABLE t (id INTEGER PRIMARY KEY)');
        const held = holder.target.transactions.run(async (within) => {
          await (await ready([{ id: 7 }, { id: 8 }], 't', undefined, holder))?.(within);
          const failure = await failureOf(() => write(counted(300), 't', undefined, waiter));
          expect(failure).toMatchObject({ code: 'connector_timeout', retriable: true });
          throw new Error('undone');
        }, undefined);
        await expect(held).rejects.toThrow('undone');
        expect(await write(counted(300), 't', undefined, waiter)).toBe(300);
      } finally {
        await slow.end();
      }
    });
  });
});

test('what is written at once lets other work have its turn', async () => {
  const bed = engines.find(({ engine }) => engine === 'sqlite');
  const engine = await bed?.start();
  try {
    const { connector } = engine as OpenEngine;
    await sql(connector, 'CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)');
    const rows = Array.from({ length: 60_000 }, (_, id) => ({ id, a: 'x'.repeat(100) }));
    const prepared = await connector.target.prepareRows?.(describeCall('create', { target: 't' }))?.(rows);
    let turns = 0;
    const turn = () => {
      turns++;
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    expect(await connector.target.transactions.run(prepared as NonNullable<typeof prepared>, never)).toBe(60_000);
    clearImmediate(next);
    expect(turns).toBeGreaterThan(4);
  } finally {
    await engine?.end();
  }
});
