import { afterEach, describe, expect, test } from 'vitest';
import { faultProxy } from '../../../../../../test/support/proxy.ts';
import { engines } from '../../../../connectors/database/testing/engines.ts';
import { never, sql } from '../../../../connectors/database/testing/parts.ts';
import { type AccountBed, accountBed, usersOf } from '../testing/account-beds.ts';
import { accountOf, at, atOnce, hashOf } from '../testing/account-conformance.ts';
import { RelationalAccountStore } from './accounts.ts';

const beds: AccountBed[] = [];
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean();
  for (const bed of beds.splice(0)) await bed.close();
});

const fields = {
  id: 'id',
  email: 'login',
  password_hash: 'pass',
  created_at: 'since',
  updated_at: 'changed',
  roles: 'roles',
  mfa_enabled: 'mfa',
  password_changed_at: 'order',
};

describe.each(engines.filter(({ skip }) => !skip))('a table of $engine that is there', (engine) => {
  const quote = (name: string) => (engine.engine === 'mysql' ? `\`${name}\`` : `"${name}"`);
  /** A database with a table whose columns have other names and types, and a store on it. */
  async function withTable(columns: Readonly<Record<string, string>>, rows: readonly string[] = [], table = 'people') {
    const bed = await accountBed(engine);
    beds.push(bed);
    const defined = Object.entries(columns).map(([name, type]) => `${quote(name)} ${type}`);
    await sql(bed.connector, `CREATE TABLE ${quote(table)} (${defined.join(', ')})`);
    for (const row of rows) await sql(bed.connector, `INSERT INTO ${quote(table)} ${row}`);
    const store = await bed.store(usersOf(fields, table));
    return { bed, store };
  }
  const moment = { sqlite: 'DATETIME', mysql: 'DATETIME(3)', postgres: 'TIMESTAMP' }[engine.engine] ?? 'TIMESTAMP';
  const numbered: Readonly<Record<string, string>> = {
    id: engine.key,
    login: `${engine.name} NOT NULL UNIQUE`,
    pass: `${engine.name} NULL`,
    since: 'BIGINT NOT NULL',
    changed: moment,
    roles: engine.name,
    mfa: 'SMALLINT NOT NULL',
    order: 'INTEGER',
    note: engine.name,
  };
  const old = `(login, pass, since, changed, roles, mfa, ${quote('order')}) VALUES ('Ana@Example.test', 'old', 1700000000, '2026-01-02 03:04:05', 'admin, editor', 1, 1700000001)`;
  const anaNow = {
    id: '1',
    email: 'ana@example.test',
    passwordHash: 'old',
    createdAt: 1_700_000_000_000,
    updatedAt: Date.UTC(2026, 0, 2, 3, 4, 5),
    passwordChangedAt: 1_700_000_001_000,
    roles: ['admin', 'editor'],
    mfaEnabled: true,
    metadata: {},
    lastLoginAt: undefined,
    locked: false,
    emailVerified: false,
  };

  test('gets the column that tables of positions of earlier versions lack', async () => {
    const { bed, store } = await withTable(numbered, [old]);
    await store.open();
    const position = { latitude: 1, longitude: 2, accuracy: undefined, label: 'L', at };
    await store.keepPosition('1', position);
    await sql(bed.connector, 'ALTER TABLE svc_auth_positions DROP COLUMN accuracy');
    const again = await bed.store(usersOf(fields, 'people'));
    await again.open();
    expect(await again.position('1')).toEqual(position);
    await again.keepPosition('1', { ...position, accuracy: 12.5 });
    expect(await again.position('1')).toEqual({ ...position, accuracy: 12.5 });
  });

  test('is used as it is: numbered ids, seconds, times without a zone, capital letters, roles with commas', async () => {
    const { bed, store } = await withTable(numbered, [old]);
    await store.open();
    expect(await store.byEmail('ana@example.test')).toEqual(anaNow);
    expect(await store.byId('1')).toEqual(anaNow);
    expect(await store.create(accountOf('ana@example.test'))).toBe(undefined);
    const id = await store.create(accountOf('eve@example.test', { roles: ['x', 'y'], mfaEnabled: true }));
    expect(id).toBe('2');
    expect(await store.byId('2')).toMatchObject({
      id: '2',
      email: 'eve@example.test',
      createdAt: Math.floor(at / 1_000) * 1_000,
      updatedAt: at,
      passwordChangedAt: Math.floor(at / 1_000) * 1_000,
      roles: ['x', 'y'],
      mfaEnabled: true,
    });
    expect(await store.list(undefined, 9)).toMatchObject([{ id: '1' }, { id: '2' }]);
    expect(await store.list('ana@example.test', 9)).toMatchObject([{ id: '2' }]);
    expect(await store.update('1', { roles: ['admin'], locked: true, metadata: { a: 1 }, lastLoginAt: at }, at)).toBe(
      true,
    );
    expect(await store.byId('1')).toMatchObject({
      roles: ['admin'],
      locked: true,
      metadata: { a: 1 },
      lastLoginAt: at,
    });
    const raw = await sql(bed.connector, 'SELECT roles, note FROM people WHERE id = 1');
    expect(raw.rows).toEqual([{ roles: 'admin', note: null }]);
    const change = { hash: hashOf('new'), changedAt: at, keep: 5, expected: 'old' };
    expect(await store.setPassword('1', change)).toBe(true);
    expect(await store.passwordHistory('1', 5)).toEqual([hashOf('new'), 'old']);
    for (const other of ['01', '1 ', '1.0', '+1', '0x1', '99999999999999999999', '', "1' OR '1'='1"])
      expect(await store.byId(other)).toBe(undefined);
    expect([await store.delete('1'), await store.byId('1')]).toEqual([true, undefined]);
  });

  // Servers count on.
  test.skipIf(engine.isServer)('an id that is used again inherits nothing', async () => {
    const { bed, store } = await withTable(numbered);
    await store.open();
    const id = (await store.create(accountOf('ana@example.test', { locked: true }))) as string;
    await store.setPassword(id, { hash: hashOf('b'), changedAt: at, keep: 5, expected: hashOf('first') });
    await store.keepDevice(id, { fingerprint: 'f', firstSeen: at, lastSeen: at }, 3);
    await sql(bed.connector, 'DELETE FROM people');
    expect(await store.create(accountOf('eve@example.test'))).toBe(id);
    expect(await store.byId(id)).toMatchObject({ locked: false });
    expect([await store.passwordHistory(id, 9), await store.device(id, 'f')]).toEqual([[], undefined]);
  });

  test('many accounts are made in it at once, which it numbers', async () => {
    const { store } = await withTable(numbered, [old]);
    await store.open();
    const emails = ['ana@example.test', 'bob@example.test', 'cid@example.test'];
    const ids = await store.createAll(emails.map((email) => accountOf(email)));
    expect(ids).toEqual([undefined, expect.stringMatching(/^\d+$/), expect.stringMatching(/^\d+$/)]);
    for (const at of [1, 2])
      expect(await store.byEmail(emails[at] as string)).toMatchObject({ id: ids[at], metadata: {} });
    expect(await store.byEmail('ana@example.test')).toEqual(anaNow);
  });

  test('two accounts that the database finds equal are not one', async () => {
    const folding =
      { mysql: 'VARCHAR(190) COLLATE utf8mb4_general_ci', sqlite: 'TEXT COLLATE NOCASE' }[engine.engine] ?? engine.name;
    const { store } = await withTable({ ...numbered, login: `${folding} NOT NULL UNIQUE` });
    await store.open();
    const id = await store.create(accountOf('josé@example.test'));
    expect(await store.byEmail('josé@example.test')).toMatchObject({ id });
    expect(await store.byEmail('jose@example.test')).toBe(undefined);
    // Where the database cannot keep both, the address is taken; the account is never given to the other one.
    const other = await store.create(accountOf('jose@example.test'));
    expect([await store.byEmail('jose@example.test'), other]).toEqual(
      engine.engine === 'mysql' ? [undefined, undefined] : [expect.objectContaining({ id: other }), other],
    );
    expect(other).not.toBe(id);
  });

  test('of two rows that differ in case only, none is taken for the other', async () => {
    const rows = ['Ana@example.test', 'ANA@example.test'].map(
      (login) => `(login, since, changed, mfa) VALUES ('${login}', 0, '2026-01-02 03:04:05', 0)`,
    );
    const exact = engine.engine === 'mysql' ? 'VARCHAR(190) COLLATE utf8mb4_bin NOT NULL UNIQUE' : numbered['login'];
    const { store } = await withTable({ ...numbered, login: exact as string }, rows);
    await store.open();
    expect(await store.byEmail('ana@example.test')).toBe(undefined);
    expect(await store.create(accountOf('ana@example.test'))).toBe(undefined);
  });

  test('what it lacks is said by name', async () => {
    const { login, changed, mfa, ...others } = numbered;
    const { store } = await withTable(others);
    await expect(store.open()).rejects.toThrow(
      'table "people" of connector "db" cannot keep accounts: columns "login", "changed", "mfa" are missing; add them, or say with users { fields { … } } which columns they are',
    );
    const shared = await withTable({ ...numbered, login: engine.name });
    await expect(shared.store.open()).rejects.toThrow(
      'column "login" is not unique, so that two accounts could share it; make it so with CREATE UNIQUE INDEX people_login ON people (login)',
    );
  });

  test('a table with the name of one that is made, and other columns, is said by name', async () => {
    const { bed, store } = await withTable(numbered);
    await sql(bed.connector, 'CREATE TABLE password_history (id INTEGER)');
    await expect(store.open()).rejects.toThrow(/table "people" of connector "db" cannot keep accounts: .*user_id/);
  });

  test('processes that start at once make the tables once', async () => {
    const bed = await accountBed(engine);
    beds.push(bed);
    const stores = await Promise.all([1, 2, 3, 4].map(() => bed.store(usersOf({ roles: 'Roles' }, 'order'))));
    await atOnce(4, stores, (store) => store.open());
    const id = await stores[0]?.create(accountOf('ana@example.test', { roles: ['a'] }));
    expect(await stores[3]?.byEmail('ana@example.test')).toMatchObject({ id, roles: ['a'] });
    expect(stores[0]?.keepsPasswordAge).toBe(false);
    expect(await stores[0]?.byEmail('ana@example.test')).toMatchObject({ passwordChangedAt: undefined });
  });

  test('without a column for roles they are refused, never lost', async () => {
    const bed = await accountBed(engine);
    beds.push(bed);
    const store = await bed.store(usersOf({}));
    await store.open();
    const says = 'table "users" has no column for roles; write users { fields { roles = "<column>" } }';
    await expect(store.create(accountOf('ana@example.test', { roles: ['a'] }))).rejects.toThrow(says);
    const id = (await store.create(accountOf('ana@example.test', { mfaEnabled: true }))) as string;
    await expect(store.update(id, { roles: ['a'] }, at)).rejects.toThrow(says);
    expect(await store.byId(id)).toMatchObject({ mfaEnabled: true, roles: [] });
  });

  test('one that is not open answers nothing', async () => {
    const bed = await accountBed(engine);
    beds.push(bed);
    const store = await bed.store();
    await expect(store.byEmail('ana@example.test')).rejects.toMatchObject({ code: 'store_unavailable' });
  });

  test.skipIf(!engine.isServer)('a database that is unavailable fails every request', async () => {
    const place = await engine.place();
    const server = place.server as NonNullable<typeof place.server>;
    const proxy = await faultProxy(server);
    const connector = place.connector({ url: server.through(proxy.port) });
    await connector.open(never);
    cleanups.push(async () => {
      await connector.close();
      await proxy.close();
      await place.end();
    });
    const store = new RelationalAccountStore({ connector, dialect: connector.dialect.runtimeTables, users: usersOf() });
    await store.open();
    proxy.fault = 'refuse';
    proxy.reset();
    const asked = [
      () => store.create(accountOf('ana@example.test')),
      () => store.byEmail('ana@example.test'),
      () => store.byId('x'),
      () => store.list(undefined, 1),
      () => store.update('x', { locked: true }, at),
      () => store.setPassword('x', { hash: 'h', changedAt: at, keep: 1, expected: undefined }),
      () => store.rehash('x', { hash: 'h', expected: 'g' }),
      () => store.passwordHistory('x', 1),
      () => store.delete('x'),
      () => store.device('x', 'f'),
      () => store.keepDevice('x', { fingerprint: 'f', firstSeen: at, lastSeen: at }, 1),
      () => store.position('x'),
      () => store.keepPosition('x', { latitude: 0, longitude: 0, accuracy: undefined, label: '', at }),
      () => store.signingKeys(),
      () => store.addSigningKey({ id: 'k', privateKey: 'p', createdAt: at }, undefined),
      () => store.deleteSigningKey('k'),
    ];
    const answers = await Promise.allSettled(asked.map((ask) => ask() as Promise<unknown>));
    expect(answers.map((answer) => (answer.status === 'rejected' ? answer.reason.code : answer))).toEqual(
      asked.map(() => 'store_unavailable'),
    );
  });
});
