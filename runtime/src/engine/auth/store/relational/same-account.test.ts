import { afterEach, describe, expect, test } from 'vitest';
import { recordingLog } from '../../../../../../test/support/connector-services.ts';
import { engines } from '../../../../connectors/database/testing/engines.ts';
import { sql } from '../../../../connectors/database/testing/parts.ts';
import { accountBed, usersOf } from '../testing/account-beds.ts';
import { accountOf, at } from '../testing/account-conformance.ts';
import { accountKinds, sharedId } from '../testing/scope-kinds.ts';
import { RelationalAccountStore } from './accounts.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean();
});

const { 'addresses, roles and passwords': _own, 'signing keys': _keys, ...belonging } = accountKinds;
const ana = 'ana@example.test';
const eve = 'eve@example.test';
const later = at + 60_000;

describe.each(engines.filter(({ skip }) => !skip))(
  'an account of $engine whose id another program gives away',
  (engine) => {
    /** A table that another program writes too, and an account in it that everything is kept of. */
    async function held(kinds = Object.values(belonging)) {
      const bed = await accountBed(engine);
      cleanups.push(() => bed.close());
      const { key, name } = engine;
      const columns = `id ${key}, email ${name} NOT NULL UNIQUE, password_hash ${name}, created_at BIGINT, updated_at BIGINT`;
      await sql(bed.connector, `CREATE TABLE people (${columns})`);
      const log = recordingLog();
      const { connector } = bed;
      const dialect = connector.dialect.runtimeTables;
      const store = new RelationalAccountStore({ connector, dialect, users: usersOf({}, 'people'), log });
      await store.open();
      expect(await store.create(accountOf(ana, { createdAt: at }))).toBe(sharedId);
      for (const { write } of kinds) await write(store);
      const run = (statement: string) => sql(connector, statement);
      const replace = async (email: string, createdAt: number | 'NULL') => {
        await run(`DELETE FROM people WHERE id = ${sharedId}`);
        await run(
          `INSERT INTO people (id, email, created_at, updated_at) VALUES (${sharedId}, '${email}', ${createdAt}, ${createdAt})`,
        );
      };
      return { store, log, run, replace };
    }
    const seen = (store: RelationalAccountStore) =>
      Promise.all(Object.values(belonging).map(({ read }) => read(store)));
    const nothing = Object.values(belonging).map((kind) => kind.nothing);

    test('leaves nothing of it to the next one, which the log says once', async () => {
      const { store, log, replace } = await held();
      await replace(eve, later);
      const found = await Promise.all([store.byEmail(eve), store.byId(sharedId)]);
      expect(found).toMatchObject(found.map(() => ({ email: eve, locked: false, metadata: {}, emailVerified: false })));
      expect(await seen(store)).toEqual(nothing);
      expect(log.lines.filter(({ message }) => message.includes('gave the id of a removed account'))).toHaveLength(1);
      // What the next one has stays.
      expect(await store.noteSignIn(sharedId, later)).toBe(true);
      for (const [name, { write }] of Object.entries(belonging)) if (name !== 'password history') await write(store);
      const own = await seen(store);
      expect(own).not.toEqual(nothing);
      expect([await store.byId(sharedId), await seen(store)]).toMatchObject([{ email: eve, lastLoginAt: later }, own]);
    });

    test.each(['passkeys', 'linked identities'] as const)(
      'is not found by its %s, which are looked for first',
      async (kind) => {
        const { store, replace } = await held();
        await replace(eve, later);
        const { identities, factors } = store;
        const passkeyId = String((await factors.passkeys(sharedId))[0]?.id);
        const identity = (await identities.of(sharedId))[0];
        const found =
          kind === 'passkeys'
            ? factors.passkey(passkeyId)
            : identities.find(String(identity?.issuer), String(identity?.subject));
        expect(await found).toBe(undefined);
        expect(await seen(store)).toEqual(nothing);
      },
    );

    test.each([
      ['another address', eve, at],
      ['a later time, as where each change of a row moves it', ana, later],
      ['no time', eve, 'NULL'],
    ] as const)('is the same one with %s: it keeps everything', async (_what, email, createdAt) => {
      const { store, log, replace } = await held();
      const before = await seen(store);
      await replace(email, createdAt);
      expect([await store.byEmail(email), await seen(store)]).toMatchObject([{ email, locked: true }, before]);
      expect(log.lines).toEqual([]);
    });

    test('is known by the address that the service gave it last', async () => {
      const { store, replace } = await held();
      await store.update(sharedId, { email: eve }, at);
      const before = await seen(store);
      await replace(eve, later);
      await store.byId(sharedId);
      expect(await seen(store)).toEqual(before);
    });

    test('that other programs made, or a version before kept, is noted with its next sign-in', async () => {
      const { store, run, replace } = await held();
      await run('ALTER TABLE svc_auth_accounts DROP COLUMN account_at');
      await run('ALTER TABLE svc_auth_accounts DROP COLUMN account_email');
      await store.open();
      await replace(ana, at);
      const before = await seen(store);
      expect([await store.noteSignIn(sharedId, at), await seen(store)]).toEqual([true, before]);
      await replace(eve, later);
      await store.byId(sharedId);
      expect(await seen(store)).toEqual(nothing);
    });
  },
);
