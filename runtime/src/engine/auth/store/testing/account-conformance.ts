import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Account, AccountStore, PasswordChange, SigningKey } from '../accounts.ts';

/** A store under test, empty and open, which keeps everything that a store can keep. */
export interface AccountSubject {
  readonly store: AccountStore;
  /** The same accounts, as another process has them; the same store where no other process can have them. */
  readonly another: AccountStore;
  readonly close: () => Promise<unknown>;
}

/** Milliseconds since 1970. */
export const at = 1_760_000_000_123;
/** As long as hashes are. */
export const hashOf = (name: string) => `$argon2id$v=19$m=65536,t=3,p=2$${name}$${'h'.repeat(100)}`;

export function accountOf(email: string, over: Partial<Account> = {}): Account {
  return {
    id: randomUUID().replaceAll('-', ''),
    email,
    passwordHash: hashOf('first'),
    createdAt: at,
    updatedAt: at,
    passwordChangedAt: at,
    roles: [],
    mfaEnabled: false,
    emailVerified: false,
    metadata: {},
    lastLoginAt: undefined,
    locked: false,
    ...over,
  };
}

/** The answers of calls that all begin together, by turns on each of the stores. */
export function atOnce<S, T>(times: number, stores: readonly S[], ask: (store: S, index: number) => Promise<T>) {
  const barrier = Promise.withResolvers<void>();
  const asked = Array.from({ length: times }, async (_, index) => {
    await barrier.promise;
    return ask(stores[index % stores.length] as S, index);
  });
  barrier.resolve();
  return Promise.all(asked);
}

/** What every store of accounts does. */
export function accountConformance(make: () => Promise<AccountSubject>): void {
  let subject: AccountSubject;
  let store: AccountStore;
  beforeEach(async () => {
    subject = await make();
    ({ store } = subject);
  });
  afterEach(() => subject.close());
  const created = async (email: string, over: Partial<Account> = {}) => {
    const account = accountOf(email, over);
    expect(await store.create(account)).toBe(account.id);
    return account;
  };
  const change = (name: string, over: Partial<PasswordChange> = {}): PasswordChange => ({
    hash: hashOf(name),
    changedAt: at + 1_000,
    keep: 3,
    expected: hashOf('first'),
    ...over,
  });

  describe('accounts', () => {
    test('what is kept comes back whole, in every process', async () => {
      const metadata = { name: 'Ána "A" \\ \n', deep: { list: [1, 0.5, null, true] }, empty: {} };
      const whole = await created('ana@example.test', {
        roles: ['admin', 'shop-keeper'],
        mfaEnabled: true,
        metadata,
        lastLoginAt: at + 5,
        locked: true,
      });
      const bare = await created('josé@example.test', { passwordHash: undefined, passwordChangedAt: undefined });
      for (const each of [store, subject.another]) {
        expect(await each.byEmail('ana@example.test')).toEqual(whole);
        expect(await each.byId(whole.id)).toEqual(whole);
        expect(await each.byId(bare.id)).toEqual(bare);
        expect(await each.byEmail('josé@example.test')).toEqual(bare);
      }
      expect(await store.byEmail('jose@example.test')).toBe(undefined);
      expect(await store.byEmail("' OR 1=1 --@example.test")).toBe(undefined);
      for (const id of ['', 'x', whole.id.toUpperCase(), `${whole.id} `, '\0', '1', '-0'])
        expect(await store.byId(id)).toBe(undefined);
    });

    test('it keeps everything', () => {
      expect([store.keepsRoles, store.keepsPasswordAge]).toEqual([true, true]);
    });

    test('S-37: an address has one account, of many who register at once', async () => {
      const stores = [store, subject.another];
      const ids = await atOnce(16, stores, (each) => each.create(accountOf('ana@example.test')));
      const made = ids.filter((id) => id !== undefined);
      expect(made).toHaveLength(1);
      expect(await store.list(undefined, 10)).toMatchObject([{ id: made[0], email: 'ana@example.test' }]);
      expect(await subject.another.create(accountOf('ana@example.test'))).toBe(undefined);
    });

    test('many are made in one step, without those whose address is taken', async () => {
      const bob = await created('bob@example.test');
      const names = ['ana', 'bob', 'cid'];
      const accounts = names.map((name) => accountOf(`${name}@example.test`, { metadata: { name }, roles: ['r'] }));
      const ids = await store.createAll(accounts);
      expect(ids.map((id) => id !== undefined)).toEqual([true, false, true]);
      expect(await subject.another.byEmail('ana@example.test')).toEqual({ ...accounts[0], id: ids[0] });
      expect(await store.byEmail('bob@example.test')).toEqual(bob);
      expect(await store.createAll(accounts)).toEqual([undefined, undefined, undefined]);
      expect(await store.createAll([])).toEqual([]);
    });

    test('S-37: an address has one account, of many lists that are made at once', async () => {
      const names = Array.from({ length: 10 }, (_, index) => `u${index}@example.test`);
      const lists = await atOnce(4, [store, subject.another], (each, index) =>
        each.createAll((index % 2 === 0 ? names : names.toReversed()).map((name) => accountOf(name))),
      );
      expect(lists.flat().filter((id) => id !== undefined)).toHaveLength(names.length);
      expect((await store.list(undefined, 20)).map(({ email }) => email)).toEqual(names);
    });

    test('they are listed by address, page by page', async () => {
      for (const name of ['c', 'a', 'e', 'b', 'd']) await created(`${name}@example.test`, { metadata: { name } });
      const pages: string[][] = [];
      let after: string | undefined;
      do {
        const page = await store.list(after, 2);
        pages.push(page.map(({ metadata }) => String(metadata['name'])));
        after = page.at(-1)?.email;
      } while (after !== undefined);
      expect(pages).toEqual([['a', 'b'], ['c', 'd'], ['e'], []]);
    });

    test('a change changes nothing else, and is seen by every process', async () => {
      const { another } = subject;
      const account = await created('ana@example.test', { roles: ['a'], metadata: { a: 1 } });
      const other = await created('eve@example.test');
      expect(await store.update(account.id, { roles: ['b', 'c'] }, at + 1)).toBe(true);
      expect(await another.byId(account.id)).toEqual({ ...account, roles: ['b', 'c'], updatedAt: at + 1 });
      expect(await store.update(account.id, { locked: true, mfaEnabled: true }, at + 2)).toBe(true);
      expect(await store.update(account.id, { metadata: { b: 2 }, roles: [] }, at + 3)).toBe(true);
      expect(await store.update(account.id, { email: 'ana@other.test' }, at + 4)).toBe(true);
      const now = { roles: [], locked: true, mfaEnabled: true, metadata: { b: 2 }, email: 'ana@other.test' };
      expect(await another.byEmail('ana@other.test')).toEqual({ ...account, ...now, updatedAt: at + 4 });
      expect(await another.byEmail('ana@example.test')).toBe(undefined);
      expect(await store.byId(other.id)).toEqual(other);
      expect(await store.update(accountOf('x@example.test').id, { locked: true }, at)).toBe(false);
      expect(await store.update(accountOf('x@example.test').id, {}, at)).toBe(false);
    });

    test('the time of a sign-in is not a change of the account', async () => {
      const account = await created('ana@example.test');
      expect(await store.update(account.id, { lastLoginAt: at + 9 }, at + 9)).toBe(true);
      expect(await subject.another.byId(account.id)).toEqual({ ...account, lastLoginAt: at + 9 });
    });

    test('an address that is taken is not given away, of many who ask at once', async () => {
      const accounts: Account[] = [];
      for (let index = 0; index < 6; index++) accounts.push(await created(`u${index}@example.test`));
      const stores = [store, subject.another];
      const answers = await atOnce(6, stores, (each, index) =>
        each.update(accounts[index]!.id, { email: 'wanted@example.test' }, at + 1),
      );
      expect(answers.filter(Boolean)).toHaveLength(1);
      expect(await store.update(accounts[answers.indexOf(false)]!.id, { email: 'wanted@example.test' }, at)).toBe(
        false,
      );
      expect(await store.list(undefined, 10)).toHaveLength(6);
    });

    test('one that was made is taken back unless a client signed in to it, of both at once one happens', async () => {
      for (let round = 0; round < 8; round++) {
        const email = `${round}@example.test`;
        const { id } = await created(email);
        const first = round % 2 === 0;
        const note = () => subject.another.noteSignIn(id, at + 1);
        const [one, other] = await Promise.all(first ? [note(), store.takeBack(id)] : [store.takeBack(id), note()]);
        const [isNoted, isTakenBack] = first ? [one, other] : [other, one];
        expect(isNoted).toBe(!isTakenBack);
        expect((await store.byEmail(email))?.lastLoginAt).toBe(isNoted ? at + 1 : undefined);
      }
      expect(await store.takeBack('0'.repeat(32))).toBe(false);
      expect(await store.noteSignIn('0'.repeat(32), at)).toBe(false);
      const { id } = await created('late@example.test');
      expect([await store.takeBack(id), await store.byId(id), await store.takeBack(id)]).toEqual([
        true,
        undefined,
        false,
      ]);
      expect(await store.noteSignIn(id, at)).toBe(false);
    });

    test('one that is deleted is gone with everything of it, and its address is free', async () => {
      const account = await created('ana@example.test', { metadata: { a: 1 }, locked: true, roles: ['admin'] });
      await store.setPassword(account.id, change('second'));
      await store.keepDevice(account.id, { fingerprint: 'f', firstSeen: at, lastSeen: at }, 3);
      await store.keepPosition(account.id, { latitude: 1, longitude: 2, accuracy: undefined, label: 'L', at });
      expect([await store.delete(account.id), await subject.another.delete(account.id)]).toEqual([true, false]);
      expect(await store.byId(account.id)).toBe(undefined);
      const again = accountOf('ana@example.test', { id: account.id });
      expect(await store.create(again)).toBe(account.id);
      expect(await store.byId(account.id)).toEqual(again);
      expect(await store.passwordHistory(account.id, 9)).toEqual([]);
      expect(await store.device(account.id, 'f')).toBe(undefined);
      expect(await store.position(account.id)).toBe(undefined);
    });
  });

  describe('passwords', () => {
    test('a new one replaces the one that is expected, and the history has both', async () => {
      const account = await created('ana@example.test');
      expect(await store.setPassword(account.id, change('second'))).toBe(true);
      const second = { passwordHash: hashOf('second'), passwordChangedAt: at + 1_000, updatedAt: at + 1_000 };
      expect(await subject.another.byId(account.id)).toEqual({ ...account, ...second });
      expect(await subject.another.passwordHistory(account.id, 9)).toEqual([hashOf('second'), hashOf('first')]);
    });

    test('with another one than is expected nothing changes', async () => {
      const account = await created('ana@example.test');
      const none = await created('eve@example.test', { passwordHash: undefined, passwordChangedAt: undefined });
      expect(await store.setPassword(account.id, change('second', { expected: hashOf('FIRST') }))).toBe(false);
      expect(await store.setPassword(account.id, change('second', { expected: undefined }))).toBe(false);
      expect(await store.setPassword(none.id, change('second'))).toBe(false);
      expect(await store.setPassword(accountOf('x@example.test').id, change('second'))).toBe(false);
      expect([await store.byId(account.id), await store.byId(none.id)]).toEqual([account, none]);
      expect(await store.passwordHistory(account.id, 9)).toEqual([]);
      expect(await store.setPassword(none.id, change('second', { expected: undefined }))).toBe(true);
      expect(await store.passwordHistory(none.id, 9)).toEqual([hashOf('second')]);
    });

    test('of many who change it at once, one does', async () => {
      const account = await created('ana@example.test');
      const stores = [store, subject.another];
      const answers = await atOnce(8, stores, (each, index) => each.setPassword(account.id, change(`n${index}`)));
      const [winner, ...others] = answers.flatMap((done, index) => (done ? [index] : []));
      expect(others).toEqual([]);
      expect((await store.byId(account.id))?.passwordHash).toBe(hashOf(`n${winner}`));
      expect(await store.passwordHistory(account.id, 9)).toEqual([hashOf(`n${winner}`), hashOf('first')]);
    });

    test('the history keeps as many as it is asked to, the latest first, whatever clocks say', async () => {
      const account = await created('ana@example.test');
      const names = ['first', 'b', 'c', 'd', 'e'];
      for (let index = 1; index < names.length; index++) {
        const expected = hashOf(names[index - 1] as string);
        // The clock is set back by a second for each.
        const changedAt = at - index * 1_000;
        expect(await store.setPassword(account.id, change(names[index] as string, { expected, changedAt }))).toBe(true);
      }
      expect(await store.passwordHistory(account.id, 9)).toEqual(['e', 'd', 'c'].map(hashOf));
      expect(await store.passwordHistory(account.id, 2)).toEqual(['e', 'd'].map(hashOf));
      expect(await store.passwordHistory(account.id, 0)).toEqual([]);
      await store.setPassword(account.id, change('f', { expected: hashOf('e'), keep: 1 }));
      expect(await store.passwordHistory(account.id, 9)).toEqual([hashOf('f')]);
      await store.setPassword(account.id, change('g', { expected: hashOf('f'), keep: 0 }));
      expect(await store.passwordHistory(account.id, 9)).toEqual([]);
    });

    test('the same password under another hash keeps its age and its place in the history', async () => {
      const account = await created('ana@example.test');
      await store.setPassword(account.id, change('second'));
      const rehash = { hash: hashOf('second again'), expected: hashOf('second') };
      const stores = [store, subject.another];
      const answers = await atOnce(4, stores, (each) => each.rehash(account.id, rehash));
      expect(answers.filter(Boolean)).toHaveLength(1);
      const now = { passwordHash: rehash.hash, passwordChangedAt: at + 1_000, updatedAt: at + 1_000 };
      expect(await subject.another.byId(account.id)).toEqual({ ...account, ...now });
      expect(await store.passwordHistory(account.id, 9)).toEqual([rehash.hash, hashOf('first')]);
      expect(await store.rehash(accountOf('x@example.test').id, rehash)).toBe(false);
    });
  });

  describe('what belongs to an account', () => {
    test('devices are kept, those unused longest are forgotten', async () => {
      const account = await created('ana@example.test');
      const device = (name: string, lastSeen: number) => ({
        fingerprint: name,
        firstSeen: at,
        lastSeen: at + lastSeen,
      });
      for (const [name, seen] of [
        ['a', 1],
        ['b', 2],
        ['c', 3],
      ] as const)
        await store.keepDevice(account.id, device(name, seen), 3);
      await subject.another.keepDevice(account.id, device('a', 4), 3);
      await store.keepDevice(account.id, device('d', 5), 3);
      const kept = await Promise.all(['a', 'b', 'c', 'd'].map((name) => store.device(account.id, name)));
      expect(kept).toEqual([device('a', 4), undefined, device('c', 3), device('d', 5)]);
      // The one that is kept now stays, although the clock was set back.
      await store.keepDevice(account.id, device('e', 0), 1);
      expect(await store.device(account.id, 'e')).toEqual(device('e', 0));
      expect(await store.device(account.id, 'd')).toBe(undefined);
      expect(await store.device((await created('eve@example.test')).id, 'e')).toBe(undefined);
    });

    test('the last position is kept', async () => {
      const account = await created('ana@example.test');
      expect(await store.position(account.id)).toBe(undefined);
      await store.keepPosition(account.id, {
        latitude: 52.520008,
        longitude: -13.404954,
        accuracy: 12.5,
        label: 'Bërlin',
        at,
      });
      const next = { latitude: -0.1, longitude: 179.999, accuracy: undefined, label: '', at: at + 1 };
      await subject.another.keepPosition(account.id, next);
      expect(await store.position(account.id)).toEqual(next);
    });
  });

  describe('keys', () => {
    const keyOf = (id: string, createdAt: number): SigningKey => ({
      id,
      privateKey: `-----BEGIN PRIVATE KEY-----\n${'k'.repeat(1_700)}\n-----END PRIVATE KEY-----\n`,
      createdAt,
    });

    test('one is added after the latest only, of many processes that make one at once', async () => {
      const stores = [store, subject.another];
      const first = await atOnce(8, stores, (each, index) => each.addSigningKey(keyOf(`k${index}`, at), undefined));
      expect(first.filter(Boolean)).toHaveLength(1);
      const latest = `k${first.indexOf(true)}`;
      // The clock was set back: the one that was added last is the latest.
      const second = await atOnce(8, stores, (each, index) => each.addSigningKey(keyOf(`n${index}`, at - 9), latest));
      expect(second.filter(Boolean)).toHaveLength(1);
      const next = keyOf(`n${second.indexOf(true)}`, at - 9);
      for (const each of stores) expect(await each.signingKeys()).toEqual([next, keyOf(latest, at)]);
      expect(await store.addSigningKey(keyOf('x', at), latest)).toBe(false);
      expect(await store.addSigningKey(keyOf('x', at), undefined)).toBe(false);
    });

    test('an old one is removed', async () => {
      await store.addSigningKey(keyOf('a', at), undefined);
      await store.addSigningKey(keyOf('b', at), 'a');
      await subject.another.deleteSigningKey('a');
      await store.deleteSigningKey('none');
      expect(await store.signingKeys()).toEqual([keyOf('b', at)]);
      expect(await store.addSigningKey(keyOf('c', at), 'b')).toBe(true);
    });
  });
}
