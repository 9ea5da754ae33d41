import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { engines } from '../../../connectors/database/testing/engines.ts';
import { sql } from '../../../connectors/database/testing/parts.ts';
import { ManualClock } from '../../../service/running/testing/manual-clock.ts';
import type { AccountStore } from './accounts.ts';
import { MemoryAccountStore } from './memory/accounts.ts';
import { MemoryStateStore } from './memory/state.ts';
import { AccountScope } from './scope.ts';
import type { StateStore } from './state.ts';
import { accountBed, usersOf } from './testing/account-beds.ts';
import { accountOf } from './testing/account-conformance.ts';
import { redisStateOf } from './testing/redis-state.ts';
import { accountKinds, type Kind, sharedId, stateKinds } from './testing/scope-kinds.ts';
import { ticketOf } from './testing/state-subject.ts';

const server = process.env['TEST_REDIS_URL'];
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** What one of two services writes, the other one neither sees nor ends; then the same the other way round. */
async function apart<S>(kind: Kind<S>, stores: readonly [S, S]): Promise<void> {
  const [one, other] = stores;
  await kind.write(one);
  expect(await kind.read(other)).toEqual(kind.nothing);
  await kind.end?.(other);
  const seen = await kind.read(one);
  expect(seen).not.toEqual(kind.nothing);
  await kind.write(other);
  expect(await kind.read(one)).toEqual(seen);
}

test('the table of the specification names every kind', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../../docs/specification/sign-in.md'), 'utf8');
  const section = /\n## Several services\n(.*?)\n## /s.exec(page)?.[1] ?? '';
  const rows = [...section.matchAll(/^\| (.+?) \| `(storage|users)` \|$/gm)].map(([, state, kept]) => [state, kept]);
  expect(rows).toEqual([
    ...Object.keys(stateKinds).map((state) => [state, 'storage']),
    ...Object.keys(accountKinds).map((state) => [state, 'users']),
  ]);
});

const memoryStates = async (): Promise<[StateStore, StateStore]> => {
  const clock = new ManualClock();
  return [new MemoryStateStore(clock), new MemoryStateStore(clock)];
};

const redisStates = async (): Promise<[StateStore, StateStore]> => {
  const open = async () => {
    const store = redisStateOf(server, { scope: new AccountScope(randomUUID()) });
    await store.open(new AbortController().signal);
    cleanups.push(() => store.close());
    return store;
  };
  return [await open(), await open()];
};

describe.each([
  { kept: 'memory', states: memoryStates, skip: false },
  { kept: 'one Redis server', states: redisStates, skip: server === undefined },
])('two services with their state in $kept share no', ({ states, skip }) => {
  test.skipIf(skip).each(Object.entries(stateKinds))('%s', async (_, kind) => apart(kind, await states()));
});

test.skipIf(server === undefined)('services with one prefix share a state, and are named to each other', async () => {
  const prefix = randomUUID();
  const open = async () => {
    const store = redisStateOf(server, { scope: new AccountScope(randomUUID()), prefix });
    await store.open(new AbortController().signal);
    cleanups.push(() => store.close());
    return store;
  };
  const [one, other] = [await open(), await open()];
  expect([one.scope, other.scope]).toEqual([prefix, prefix]);
  expect([await one.enter('shop'), await one.enter('shop'), await other.enter('stock')]).toEqual([
    { services: [], otherAccounts: false },
    { services: [], otherAccounts: false },
    { services: ['shop'], otherAccounts: true },
  ]);
  const ticket = ticketOf(sharedId, 'secret');
  await one.tickets.issue(ticket, 60_000, true);
  expect(await other.tickets.take('reset', ticket.digest)).toEqual(ticket);
});

describe('two services with accounts in memory share no', () => {
  test.each(Object.entries(accountKinds))('%s', async (_, kind) => {
    const stores = [new MemoryAccountStore(), new MemoryAccountStore()] as const;
    for (const store of stores) await store.create(accountOf('first@example.test', { id: sharedId }));
    await apart(kind, stores);
  });
});

const tables = [
  { where: 'one schema', names: ['members_a', 'members_b'], engine: undefined },
  { where: 'two schemas', names: ['members', 'other.members'], engine: 'postgres' },
] as const;

for (const engine of engines)
  for (const { where, names, engine: only } of tables)
    describe.skipIf(engine.skip || (only !== undefined && only !== engine.engine))(
      `two tables of accounts in ${where} of ${engine.engine} share no`,
      () => {
        async function stores(): Promise<[AccountStore, AccountStore]> {
          const bed = await accountBed(engine);
          cleanups.push(() => bed.close());
          if (only !== undefined) await sql(bed.connector, 'CREATE SCHEMA other');
          const opened: AccountStore[] = [];
          for (const name of names) {
            const { key, name: text } = engine;
            const columns = `id ${key}, email ${text} NOT NULL UNIQUE, password_hash ${text}, created_at BIGINT, updated_at BIGINT`;
            await sql(bed.connector, `CREATE TABLE ${name} (${columns})`);
            const store = await bed.store(usersOf({}, name));
            await store.open();
            expect(await store.create(accountOf('first@example.test'))).toBe(sharedId);
            opened.push(store);
          }
          return opened as [AccountStore, AccountStore];
        }

        test.each(Object.entries(accountKinds))('%s', async (_, kind) => apart(kind, await stores()));

        test('anything that the removal of an account, or a new one with its number, ends', async () => {
          const [one, other] = await stores();
          for (const [name, { write }] of Object.entries(accountKinds))
            if (name !== 'addresses, roles and passwords') await write(one);
          const see = async () =>
            Promise.all(Object.values(accountKinds).map(async ({ read }) => JSON.stringify(await read(one))));
          const seen = await see();
          expect(await other.delete(sharedId)).toBe(true);
          await other.removeRemains(sharedId);
          expect(await see()).toEqual(seen);
        });
      },
    );
