import { afterEach, describe, expect, test } from 'vitest';
import { recordingLog } from '../../../../../../test/support/connector-services.ts';
import type { DatabaseConnector } from '../../../../connectors/database/engine.ts';
import { engines } from '../../../../connectors/database/testing/engines.ts';
import { sql } from '../../../../connectors/database/testing/parts.ts';
import type { AccountStore } from '../accounts.ts';
import { type AccountBed, accountBed, usersOf } from '../testing/account-beds.ts';
import { accountOf, at } from '../testing/account-conformance.ts';
import { type Former, formerVersion } from '../testing/former.ts';
import { RelationalAccountStore } from './accounts.ts';
import { SideLayout } from './layout.ts';
import { definitionsOf, sideDefinitions, sideTables } from './side-tables.ts';
import { AccountDatabase } from './statements.ts';

const former = await formerVersion();
const beds: AccountBed[] = [];
afterEach(async () => {
  for (const bed of beds.splice(0)) await bed.close();
});

/** Columns of the versions after it. */
const added = new Set(['scope', 'account_at', 'account_email']);

describe.each(engines.filter(({ skip }) => !skip))('$engine: tables of the version before scopes', (engine) => {
  const partsOf = ({ dialect }: DatabaseConnector) =>
    sideDefinitions(sideTables({ table: 'members' }), dialect.runtimeTables);

  /** Two tables of accounts with their numbers, and what the version before kept for both. */
  async function withBoth(): Promise<AccountBed> {
    const bed = await accountBed(engine);
    beds.push(bed);
    const { connector } = bed;
    const { runtimeTables } = connector.dialect;
    for (const [table, people] of Object.entries({ members_a: 2, members_b: 3 })) {
      const { key, name } = engine;
      const columns = `id ${key}, email ${name} NOT NULL UNIQUE, password_hash ${name}, created_at BIGINT, updated_at BIGINT`;
      await sql(connector, `CREATE TABLE ${table} (${columns})`);
      for (let person = 1; person <= people; person++)
        await sql(connector, `INSERT INTO ${table} (email, password_hash) VALUES ('${person}@x.test', 'h')`);
    }
    for (const { name, columns, primary, unique } of partsOf(connector)) {
      const without = (names: readonly string[]) => names.filter((each) => each !== 'scope');
      const kept = Object.fromEntries(Object.entries(columns).filter(([column]) => !added.has(column)));
      const keys = { primary: without(primary), unique: unique && without(unique) };
      for (const made of runtimeTables.make(name, definitionsOf({ name, columns: kept, ...keys })))
        await sql(connector, made);
    }
    for (const id of [1, 2, 3])
      await sql(connector, `INSERT INTO svc_auth_accounts VALUES ('${id}', '{}', NULL, ${id === 1 ? 1 : 0}, 0, 0)`);
    for (const id of [1, 3]) {
      await sql(connector, `INSERT INTO svc_auth_totp VALUES ('${id}', 's${id}', 1, 1)`);
      await sql(connector, `INSERT INTO password_history VALUES ('h${id}', '${id}', 'old${id}', 5)`);
      await sql(connector, `INSERT INTO svc_auth_recovery_codes VALUES ('${id}', 'd', 'c${id}')`);
    }
    await sql(connector, "INSERT INTO svc_auth_keys VALUES ('k', 'p', 5, 1)");
    return bed;
  }

  async function opened(bed: AccountBed, table: string): Promise<RelationalAccountStore> {
    const store = await bed.store(usersOf({}, table));
    await store.open();
    return store;
  }

  test('the first table keeps what is there, a further one takes over what can only be its own', async () => {
    const bed = await withBoth();
    const one = await opened(bed, 'members_a');
    expect(one.scope.upgradedAt).toBeGreaterThan(at);
    expect(await one.factors.totp('1')).toEqual({ secret: 's1', confirmedAt: 1, lastStep: 1 });
    const log = recordingLog();
    const { connector } = bed;
    const dialect = connector.dialect.runtimeTables;
    const other = new RelationalAccountStore({ connector, dialect, users: usersOf({}, 'members_b'), log });
    await other.open();
    expect(other.scope.upgradedAt).toBeGreaterThan(at);
    expect(log.lines.map(({ fields }) => fields)).toEqual([{ connector: 'db', table: 'members_b', accounts: 2 }]);
    const seen = async (store: RelationalAccountStore, id: string) => [
      (await store.factors.totp(id))?.secret,
      await store.passwordHistory(id, 5),
      await store.factors.recoveryCodes(id),
      (await store.byId(id))?.locked,
    ];
    expect(await seen(one, '1')).toEqual(['s1', ['old1'], ['c1'], true]);
    expect(await seen(other, '1')).toEqual([undefined, [], [], true]);
    expect(await seen(other, '2')).toEqual([undefined, [], [], false]);
    expect(await seen(other, '3')).toEqual(['s3', ['old3'], ['c3'], false]);
    expect(await seen(one, '3')).toEqual([undefined, [], [], undefined]);
    expect((await one.signingKeys()).map(({ id }) => id)).toEqual(['k']);
    expect(await other.signingKeys()).toEqual([]);
    expect(await other.addSigningKey({ id: 'k2', privateKey: 'p', createdAt: at }, undefined)).toBe(true);
    for (const [table, first] of [
      ['members_a', one],
      ['members_b', other],
    ] as const)
      expect((await opened(bed, table)).scope).toEqual(first.scope);
  });

  test('processes that start at once change them once, and one that ended meanwhile is gone on from', async () => {
    const bed = await withBoth();
    const { connector } = bed;
    const dialect = connector.dialect.runtimeTables;
    const some = partsOf(connector).slice(0, 4);
    const layout = new SideLayout(new AccountDatabase(connector), connector.schema, dialect, some);
    expect(await layout.widen()).toBe(undefined);
    const stores = await Promise.all(Array.from({ length: 4 }, () => bed.store(usersOf({}, 'members_a'))));
    await Promise.all(stores.map((store) => store.open()));
    expect(new Set(stores.map(({ scope }) => scope.id)).size).toBe(1);
    for (const store of stores) expect((await store.factors.totp('1'))?.secret).toBe('s1');
  });

  test('a table takes no rows of accounts that it does not have, also when it comes first', async () => {
    const bed = await withBoth();
    const fresh = await opened(bed, 'members_c');
    expect(fresh.scope.upgradedAt).toBe(undefined);
    const one = await opened(bed, 'members_a');
    expect(one.scope.upgradedAt).toBeGreaterThan(at);
    expect((await one.factors.totp('1'))?.secret).toBe('s1');
    expect(await fresh.factors.totp('1')).toBe(undefined);
    expect(await fresh.signingKeys()).toEqual([]);
  });

  test('what a later version wrote is refused where this one cannot read it, and read where it can', async () => {
    const bed = await withBoth();
    const { scope } = await opened(bed, 'members_a');
    await sql(bed.connector, 'UPDATE svc_auth_scopes SET version = 9, readers = 2');
    expect((await opened(bed, 'members_a')).scope).toEqual(scope);
    await sql(bed.connector, 'UPDATE svc_auth_scopes SET readers = 8');
    await expect(opened(bed, 'members_a')).rejects.toThrow(
      'version 9 of the tables of the sign-in system, which programs of version 8 and later can read; this program has version 2',
    );
  });

  test.skipIf(former === undefined)('the version before works with them, before and afterwards', async () => {
    const bed = await accountBed(engine);
    beds.push(bed);
    const { connector } = bed;
    const dialect = connector.dialect.runtimeTables;
    const users = usersOf({}, 'members');
    const { accounts } = former as Former;
    const old = accounts({ connector, dialect, users });
    await old.open(new AbortController().signal);
    const ana = (await old.create(accountOf('ana@x.test'))) as string;
    await enrol(old, ana, 's1');
    await old.addSigningKey({ id: 'k', privateKey: 'p', createdAt: at }, undefined);
    const now = await opened(bed, 'members');
    expect(now.scope.upgradedAt).toBeGreaterThan(at);
    expect((await now.factors.totp(ana))?.secret).toBe('s1');
    // Both beside each other, each with what the other writes.
    const eve = (await old.create(accountOf('eve@x.test'))) as string;
    const bob = (await now.create(accountOf('bob@x.test'))) as string;
    await enrol(old, eve, 's2');
    await enrol(now, bob, 's3');
    const again = accounts({ connector, dialect, users });
    await again.open(new AbortController().signal);
    for (const store of [old, again, now]) {
      expect(await store.factors.held(ana)).toEqual({ totp: true, passkeys: 1, recoveryCodes: 1 });
      expect(await store.factors.held(eve)).toEqual({ totp: true, passkeys: 1, recoveryCodes: 1 });
      expect(await store.factors.held(bob)).toEqual({ totp: true, passkeys: 1, recoveryCodes: 1 });
      expect((await store.signingKeys()).map(({ id }) => id)).toEqual(['k']);
      expect(await store.device(bob, 'f')).toEqual({ fingerprint: 'f', firstSeen: at, lastSeen: at });
    }
    expect(await now.addSigningKey({ id: 'k2', privateKey: 'p', createdAt: at }, 'k')).toBe(true);
    expect(await old.addSigningKey({ id: 'k3', privateKey: 'p', createdAt: at }, 'k')).toBe(false);
    expect(await old.delete(bob)).toBe(true);
    expect(await now.factors.held(bob)).toEqual({ totp: false, passkeys: 0, recoveryCodes: 0 });
  });
});

/** Everything that an account can have. */
async function enrol(store: Pick<AccountStore, 'factors' | 'keepDevice'>, id: string, secret: string) {
  await store.factors.beginTotp(id, secret);
  await store.factors.confirmTotp(id, secret, 1, at);
  const passkey = { publicKey: 'k', counter: 0, name: 'n', transports: [], aaguid: 'a', createdAt: at };
  const flags = { backupEligible: false, backedUp: false, lastUsedAt: undefined };
  await store.factors.addPasskey(id, { id: secret, ...passkey, ...flags }, 5);
  await store.factors.setRecoveryCodes(id, [secret]);
  await store.keepDevice(id, { fingerprint: 'f', firstSeen: at, lastSeen: at }, 5);
}
