import { afterEach, describe, expect, test } from 'vitest';
import { engines } from '../../../../connectors/database/testing/engines.ts';
import { sql } from '../../../../connectors/database/testing/parts.ts';
import { type AccountBed, accountBed } from '../testing/account-beds.ts';
import { LetterCase } from './letter-case.ts';
import { AccountDatabase } from './statements.ts';

const beds: AccountBed[] = [];
afterEach(async () => {
  for (const bed of beds.splice(0)) await bed.close();
});

describe.each(engines.filter(({ skip }) => !skip))('addresses of a table of $engine', (engine) => {
  /** The statements that were sent, and the table looked through in pages of three. */
  async function looked(addresses: readonly (string | null)[], failAfter = Number.POSITIVE_INFINITY) {
    const bed = await accountBed(engine);
    beds.push(bed);
    await sql(bed.connector, `CREATE TABLE people (login ${bed.connector.dialect.runtimeTables.name} NULL UNIQUE)`);
    for (const address of addresses)
      await sql(bed.connector, `INSERT INTO people VALUES (${address === null ? 'NULL' : `'${address}'`})`);
    const database = new AccountDatabase(bed.connector);
    let asked = 0;
    const counted = {
      rows: (query: string, params: object) => {
        asked += 1;
        return asked > failAfter ? Promise.reject(new Error('gone')) : database.rows(query, params as never);
      },
    } as unknown as AccountDatabase;
    const letterCase = await LetterCase.of(counted, 'people', 'login', 3);
    const first = { asked, mayBeMixed: letterCase.mayBeMixed };
    await letterCase.known;
    return { first, asked, mayBeMixed: letterCase.mayBeMixed };
  }
  const small = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `${name}@x.test`);

  test('that are few are known at once', async () => {
    const known = { asked: 1, mayBeMixed: false };
    for (const addresses of [[], [null, null, null, null], ['a@x.test', null], ['a@x.test', '1@x.test']])
      expect(await looked(addresses)).toEqual({ first: known, ...known });
  });

  test('that are many are looked through a page at a time, beside everything else', async () => {
    expect(await looked(small)).toEqual({ first: { asked: 1, mayBeMixed: true }, asked: 3, mayBeMixed: false });
    expect(await looked(small.slice(0, 6))).toMatchObject({ asked: 3, mayBeMixed: false });
  });

  // Where letters of both cases are equal to the database, it finds an address in either.
  test.runIf(engine.engine === 'sqlite' || engine.engine === 'postgres')(
    'with one capital letter at their end may be mixed',
    async () => {
      expect(await looked([...small, 'zOe@x.test'])).toMatchObject({ mayBeMixed: true });
      expect(await looked(['Zoe@x.test'])).toMatchObject({ mayBeMixed: true });
    },
  );

  test('that could not be looked through may be mixed', async () => {
    expect(await looked(small, 2)).toMatchObject({ asked: 3, mayBeMixed: true });
  });
});
