import { afterEach, beforeEach, expect, test } from 'vitest';
import type { IdentityStore, LinkedIdentity } from '../identities.ts';
import { type AccountSubject, accountOf, at, atOnce } from './account-conformance.ts';

function identityOf(provider: string, subject: string, over: Partial<LinkedIdentity> = {}): LinkedIdentity {
  return {
    provider,
    issuer: `https://${provider}.test`,
    subject,
    email: 'ana@example.test',
    name: 'Ána "A" \\ \n',
    picture: 'https://example.test/a.png',
    linkedAt: at,
    updatedAt: at,
    ...over,
  };
}

/** What every store of linked identities does. */
export function identityConformance(make: () => Promise<AccountSubject>): void {
  let subject: AccountSubject;
  let store: IdentityStore;
  let stores: readonly IdentityStore[];
  beforeEach(async () => {
    subject = await make();
    store = subject.store.identities;
    stores = [store, subject.another.identities];
  });
  afterEach(() => subject.close());
  const [ana, eve] = ['ana', 'eve'];

  test('what is linked comes back whole, the oldest link first', async () => {
    const later = identityOf('web', 's'.repeat(2_000), { linkedAt: at + 1, email: '', name: '', picture: '' });
    const first = identityOf('code', 'aB');
    expect([await store.link(ana, later), await store.link(ana, first)]).toEqual([true, true]);
    for (const each of stores) {
      expect(await each.of(ana)).toEqual([first, later]);
      expect(await each.find(first.issuer, 'aB')).toEqual({ accountId: ana, identity: first });
      expect(await each.find(first.issuer, 'ab')).toBe(undefined);
      expect(await each.find(later.issuer, 'aB')).toBe(undefined);
      expect(await each.of(eve)).toEqual([]);
    }
  });

  test('S-37: an identity belongs to one account, of many who link it at once', async () => {
    const linked = await atOnce(8, stores, (each, index) => each.link(`u${index}`, identityOf('web', 'same')));
    expect(linked.filter(Boolean)).toHaveLength(1);
    expect((await store.find('https://web.test', 'same'))?.accountId).toBe(`u${linked.indexOf(true)}`);
    expect(await store.link(`u${linked.indexOf(true)}`, identityOf('web', 'same'))).toBe(false);
    // Issuer and subject together name it, however they are cut.
    expect(await store.link(eve, identityOf('web', 'x', { issuer: 'https://web.testsame' }))).toBe(true);
  });

  test('what the provider says of it is replaced, and nothing else', async () => {
    const linked = identityOf('web', 'a');
    await store.link(ana, linked);
    const said = { email: 'b@example.test', name: '', picture: '', updatedAt: at + 9 };
    expect(await store.update(linked.issuer, 'a', said)).toBe(true);
    expect(await store.update(linked.issuer, 'a', said)).toBe(true);
    expect(await subject.another.identities.of(ana)).toEqual([{ ...linked, ...said }]);
    expect(await store.update(linked.issuer, 'b', said)).toBe(false);
  });

  test('those of a provider are unlinked, and the last one where it may be', async () => {
    for (const [provider, id] of [
      ['web', 'a'],
      ['web', 'b'],
      ['code', 'c'],
    ] as const)
      await store.link(ana, identityOf(provider, id));
    await store.link(eve, identityOf('web', 'd'));
    expect(await store.unlink(ana, 'other', true)).toBe(0);
    expect(await store.unlink(ana, 'web', true)).toBe(2);
    expect(await store.unlink(ana, 'code', true)).toBe(0);
    expect(await store.of(ana)).toHaveLength(1);
    expect(await store.unlink(ana, 'code', false)).toBe(1);
    expect([await store.of(ana), await store.of(eve)]).toMatchObject([[], [{ subject: 'd' }]]);
    expect(await store.find('https://web.test', 'a')).toBe(undefined);
    expect(await store.link(eve, identityOf('web', 'a'))).toBe(true);
  });

  test('one identity is removed of its account, and no other', async () => {
    for (const id of ['a', 'b']) await store.link(ana, identityOf('web', id));
    expect(await store.remove(eve, identityOf('web', 'a'))).toBe(false);
    expect([await store.remove(ana, identityOf('web', 'a')), await store.remove(ana, identityOf('web', 'a'))]).toEqual([
      true,
      false,
    ]);
    expect(await subject.another.identities.of(ana)).toEqual([identityOf('web', 'b')]);
  });

  test('of two that are unlinked at once, one stays where one has to', async () => {
    for (let round = 0; round < 5; round++) {
      const account = `u${round}`;
      await store.link(account, identityOf('web', `w${round}`));
      await store.link(account, identityOf('code', `c${round}`));
      const ended = await atOnce(2, stores, (each, index) => each.unlink(account, index === 0 ? 'web' : 'code', true));
      expect([...ended].sort()).toEqual([0, 1]);
      expect(await store.of(account)).toHaveLength(1);
    }
  });

  test('an account is made with its identity or not at all, by many at once', async () => {
    const accounts = [subject.store, subject.another];
    const identity = identityOf('web', 'first');
    const made = await atOnce(6, accounts, (each, index) => each.create(accountOf(`u${index}@example.test`), identity));
    const [id, ...more] = made.filter((each) => each !== undefined);
    expect(more).toEqual([]);
    expect((await store.find(identity.issuer, 'first'))?.accountId).toBe(id);
    expect((await subject.store.list(undefined, 10)).map((account) => account.id)).toEqual([id]);
  });

  test('what belongs to an account that others removed is removed, and nothing of one that exists', async () => {
    const account = accountOf('ana@example.test');
    await subject.store.create(account, identityOf('web', 'a'));
    await store.link('gone', identityOf('web', 'b'));
    for (const id of [account.id, 'gone']) await subject.store.removeRemains(id);
    expect([await store.of(account.id), await store.of('gone')]).toEqual([[identityOf('web', 'a')], []]);
  });

  test('everything goes with the account', async () => {
    const account = accountOf('ana@example.test');
    await subject.store.create(account);
    await store.link(account.id, identityOf('web', 'a'));
    await subject.store.delete(account.id);
    expect([await store.of(account.id), await store.find('https://web.test', 'a')]).toEqual([[], undefined]);
  });
}
