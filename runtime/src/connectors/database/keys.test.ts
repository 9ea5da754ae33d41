import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { engines, type OpenEngine } from './testing/engines.ts';
import { failureOf, sql } from './testing/parts.ts';

/** What every relational engine says of the key of a row that a transaction makes. */
describe.each(engines)('keys of $engine', ({ skip, start, withoutCounter, standard, ...bed }) => {
  describe.skipIf(skip)('of rows that a transaction makes', () => {
    let engine: OpenEngine;
    /** A statement whose names in `{{}}` are quoted. */
    const named = (text: string) =>
      text.replace(/\{\{([A-Z][^}]+)\}\}/g, (_, each: string) => engine.connector.dialect.quote(each));
    /** The answers to the statements of one transaction, of each of which the key is required. */
    const run = (...queries: readonly string[]) =>
      engine.connector.target.transactions.run(async ({ execute }) => {
        const ids: unknown[] = [];
        for (const query of queries) ids.push((await execute(query, { n: 'x' }, 'required')).id);
        return ids;
      }, undefined);

    beforeAll(async () => {
      engine = await start();
      for (const script of [
        `CREATE TABLE parents (id ${engine.key}, name ${bed.name} UNIQUE)`,
        `CREATE TABLE codes (code ${bed.name} PRIMARY KEY, name TEXT)`,
        named(`CREATE TABLE {{Order Lines}} ({{Line Id}} ${engine.key}, name TEXT)`),
        'CREATE TABLE pairs (a INTEGER, b INTEGER, PRIMARY KEY (a, b)) {{without rowid}}',
        'CREATE VIEW shown AS SELECT id, name FROM parents',
      ])
        await sql(engine.connector, script.replace('{{without rowid}}', withoutCounter));
    });
    beforeEach(async () => {
      await sql(engine.connector, 'DELETE FROM parents');
      await sql(engine.connector, "INSERT INTO parents (id, name) VALUES (40, 'taken'), (41, 'other')");
    });
    afterAll(() => engine.end());

    const cases: [title: string, query: string, id: unknown, standard?: boolean][] = [
      ['written plainly', 'INSERT INTO parents (id, name) VALUES (7, :n)', 7n],
      [
        'with a comment and a semicolon at its end',
        'INSERT INTO parents (id, name) VALUES (7, :n); -- RETURNING name',
        7n,
      ],
      ['with a schema and comments', 'insert /* x */ into -- y\n {{schema}}. parents (id, name) values (7, :n)', 7n],
      ['quoted, with spaces', 'INSERT INTO {{Order Lines}} ({{Line Id}}, name) VALUES (8, :n)', 8n],
      ['in other letters', 'INSERT INTO Parents (id, name) VALUES (7, :n)', 7n, true],
      ['of a key that is a text', "INSERT INTO codes (code, name) VALUES ('DE', :n)", 'DE', true],
      ['of several rows: that of the last', "INSERT INTO parents (id, name) VALUES (7, 'a'), (9, 'b')", 9n],
      [
        'behind a common table expression',
        'WITH v AS (SELECT 7 AS id) INSERT INTO parents (id, name) SELECT id, :n FROM v',
        7n,
        true,
      ],
      [
        'that says itself what it answers',
        "INSERT INTO parents (id, name) VALUES (7, :n) RETURNING name || '!'",
        'x!',
        true,
      ],
      [
        'that changes the row that is there: the key of that',
        "INSERT INTO parents (id, name) VALUES (7, 'taken') ON CONFLICT (name) DO UPDATE SET name = 'taken'",
        40n,
        true,
      ],
      [
        'that makes none',
        "INSERT INTO parents (id, name) VALUES (7, 'taken') ON CONFLICT (name) DO NOTHING",
        null,
        true,
      ],
      ['that selects none', 'INSERT INTO parents (name) SELECT :n WHERE 1 = 0', null],
      [
        'that makes none and says what it answers',
        "INSERT INTO parents (id, name) VALUES (7, 'taken') ON CONFLICT (name) DO NOTHING RETURNING id",
        null,
        true,
      ],
      ['update', 'UPDATE parents SET name = :n WHERE id = 41', undefined],
      ['delete', 'DELETE FROM parents WHERE id = 41', undefined],
      ['select', 'SELECT id FROM parents', undefined],
    ];
    test.each(cases.filter(([, , , own]) => standard || own !== true))('a statement %s', async (_title, query, id) => {
      const schema = await bed.schemaOf(engine.connector);
      await run("INSERT INTO parents (id, name) VALUES (99, 'before')", 'DELETE FROM parents WHERE id = 99');
      expect(await run(named(query.replace('{{schema}}', schema)))).toEqual([id]);
      await sql(engine.connector, named('DELETE FROM {{Order Lines}}'));
      await sql(engine.connector, 'DELETE FROM codes');
    });

    test('keys that the database counts grow, also from one transaction to the next', async () => {
      const insert = (name: string) => named(`INSERT INTO {{Order Lines}} (name) VALUES ('${name}')`);
      const [one, two] = (await run(insert('a'), insert('b'))) as bigint[];
      const [three] = (await run(insert('c'))) as bigint[];
      expect([two, three]).toEqual([one! + 1n, one! + 2n]);
    });

    test.each(['INSERT INTO pairs (a, b) VALUES (1, 2)', "INSERT INTO shown (id, name) VALUES (1, 'a')"])(
      'a key that cannot be determined is refused by the name of its table, and nothing is kept: %s',
      async (query) => {
        const table = /INTO (\w+)/.exec(query)?.[1] as string;
        const failure = await failureOf(() => run("INSERT INTO parents (id, name) VALUES (50, 'y')", query));
        expect(failure).toMatchObject({ code: 'connector_failed', retriable: false });
        expect(failure.message).toContain(`"${table}"`);
        expect(failure.message).toContain(engine.connector.dialect.keys.remedy);
        expect(await engine.connector.schema.keyProblem(query)).toContain(`"${table}"`);
        expect((await sql(engine.connector, 'SELECT id FROM parents WHERE id = 50')).rows).toEqual([]);
        const plain = async () =>
          engine.connector.target.transactions.run(
            async ({ execute }) => (await execute('INSERT INTO pairs (a, b) VALUES (3, 4)', {}, 'known')).affected,
            undefined,
          );
        expect(await plain()).toBe(1);
        await sql(engine.connector, 'DELETE FROM pairs');
      },
    );

    test('a table that is made later, or changed, has the key that it has then', async () => {
      const insert = "INSERT INTO late (name) VALUES ('a')";
      expect(await engine.connector.schema.keyProblem(insert)).toBe(undefined);
      expect((await failureOf(() => run(insert))).message).toContain('svc migrate');
      await sql(engine.connector, `CREATE TABLE late (id INTEGER, name ${bed.name} PRIMARY KEY)`);
      if (standard) expect(await run(insert)).toEqual(['a']);
      else expect((await failureOf(() => run(insert))).message).toContain('"late"');
      await sql(engine.connector, 'DROP TABLE late');
      await sql(engine.connector, `CREATE TABLE late (id ${engine.key}, name TEXT)`);
      expect(await run(insert)).toEqual([1n]);
      await sql(engine.connector, 'DROP TABLE late');
    });
  });
});
