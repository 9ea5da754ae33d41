import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FactorStore, Passkey } from '../factors.ts';
import { type AccountSubject, accountOf, at, atOnce } from './account-conformance.ts';

function passkeyOf(id: string, over: Partial<Passkey> = {}): Passkey {
  return {
    id,
    publicKey: 'pQECAyYgASFYIA',
    counter: 3,
    name: 'Ána’s "phone" \\ \n',
    transports: ['internal', 'hybrid'],
    aaguid: '00000000-0000-0000-0000-000000000000',
    backupEligible: true,
    backedUp: false,
    createdAt: at,
    lastUsedAt: undefined,
    ...over,
  };
}

/** What every store of second factors does. */
export function factorConformance(make: () => Promise<AccountSubject>): void {
  let subject: AccountSubject;
  let store: FactorStore;
  let stores: readonly FactorStore[];
  beforeEach(async () => {
    subject = await make();
    store = subject.store.factors;
    stores = [store, subject.another.factors];
  });
  afterEach(() => subject.close());
  const [ana, eve] = ['ana', 'eve'];
  const winners = (answers: readonly unknown[]) => answers.filter((answer) => answer === true).length;

  describe('authenticator apps', () => {
    test('an enrolment is begun, begun again, confirmed with the secret that it has, and used', async () => {
      expect([await store.totp(ana), await store.removeTotp(ana)]).toEqual([undefined, false]);
      expect(await store.beginTotp(ana, 'first')).toBe(true);
      expect(await store.beginTotp(ana, 'first')).toBe(true);
      expect(await store.beginTotp(ana, 'second')).toBe(true);
      expect(await store.totp(ana)).toEqual({ secret: 'second', confirmedAt: undefined, lastStep: -1 });
      expect(await store.held(ana)).toEqual({ totp: false, passkeys: 0, recoveryCodes: 0 });
      expect(await store.useTotpStep(ana, 5)).toBe(false);
      expect(await store.confirmTotp(ana, 'first', 7, at)).toBe(false);
      expect(await store.confirmTotp(ana, 'second', 7, at)).toBe(true);
      expect(await store.confirmTotp(ana, 'second', 8, at)).toBe(false);
      for (const each of stores) {
        expect(await each.totp(ana)).toEqual({ secret: 'second', confirmedAt: at, lastStep: 7 });
        expect(await each.held(ana)).toEqual({ totp: true, passkeys: 0, recoveryCodes: 0 });
      }
      expect(await store.beginTotp(ana, 'third')).toBe(false);
      expect((await store.totp(ana))?.secret).toBe('second');
      expect(await store.totp(eve)).toBe(undefined);
      expect([await store.removeTotp(ana), await store.removeTotp(ana)]).toEqual([true, false]);
      expect(await store.beginTotp(ana, 'third')).toBe(true);
    });

    test('a secret is kept whole, whatever it is of', async () => {
      const secret = `v1.${'Ab_-'.repeat(200)}`;
      await store.beginTotp(ana, secret);
      expect((await subject.another.factors.totp(ana))?.secret).toBe(secret);
      // The same secret in other letters is another one.
      expect(await store.confirmTotp(ana, secret.toLowerCase(), 1, at)).toBe(false);
    });

    test('S-26: a step is accepted once, and none before it', async () => {
      await store.beginTotp(ana, 's');
      await store.confirmTotp(ana, 's', 100, at);
      const step = async (number: number) => store.useTotpStep(ana, number);
      expect([await step(100), await step(99), await step(102), await step(102), await step(101)]).toEqual([
        false,
        false,
        true,
        false,
        false,
      ]);
      expect(winners(await atOnce(8, stores, (each) => each.useTotpStep(ana, 60_000_000)))).toBe(1);
      expect((await store.totp(ana))?.lastStep).toBe(60_000_000);
    });

    test('of many who confirm at once, one does; of many who begin, the last one stays', async () => {
      expect(winners(await atOnce(8, stores, (each, index) => each.beginTotp(ana, `s${index}`)))).toBe(8);
      const { secret = '' } = (await store.totp(ana)) ?? {};
      expect(winners(await atOnce(8, stores, (each, index) => each.confirmTotp(ana, secret, index, at)))).toBe(1);
      expect(winners(await atOnce(8, stores, (each, index) => each.beginTotp(ana, `t${index}`)))).toBe(0);
      expect(winners(await atOnce(8, stores, (each) => each.removeTotp(ana)))).toBe(1);
    });
  });

  describe('recovery codes', () => {
    const hashes = (name: string, count = 3) => Array.from({ length: count }, (_, index) => `${name}$${index}`);

    test('S-28: are replaced whole, and spent once', async () => {
      expect(await store.recoveryCodes(ana)).toEqual([]);
      await store.setRecoveryCodes(ana, hashes('first'));
      await store.setRecoveryCodes(eve, hashes('first'));
      await store.setRecoveryCodes(ana, hashes('second'));
      expect([...(await subject.another.factors.recoveryCodes(ana))].sort()).toEqual(hashes('second'));
      expect(await store.spendRecoveryCode(ana, 'first$0')).toBe(false);
      expect(await store.spendRecoveryCode(ana, 'SECOND$0')).toBe(false);
      expect(winners(await atOnce(8, stores, (each) => each.spendRecoveryCode(ana, 'second$0')))).toBe(1);
      expect([...(await store.recoveryCodes(ana))].sort()).toEqual(['second$1', 'second$2']);
      expect(await store.held(ana)).toEqual({ totp: false, passkeys: 0, recoveryCodes: 2 });
      expect(await store.recoveryCodes(eve)).toHaveLength(3);
      await store.setRecoveryCodes(ana, []);
      expect(await store.recoveryCodes(ana)).toEqual([]);
    });

    test('S-28: of many who replace them at once, the codes of one are there', async () => {
      await atOnce(6, stores, (each, index) => each.setRecoveryCodes(ana, hashes(`set${index}`, 10)));
      const left = await store.recoveryCodes(ana);
      expect(left).toHaveLength(10);
      expect(new Set(left.map((hash) => hash.split('$')[0])).size).toBe(1);
    });
  });

  describe('passkeys', () => {
    test('come back whole, the oldest first, and belong to one account', async () => {
      const long = passkeyOf('A'.repeat(1_400), {
        publicKey: 'k'.repeat(3_000),
        createdAt: at + 1,
        lastUsedAt: at + 2,
      });
      const first = passkeyOf('aB', { counter: 4_294_967_295 });
      expect(await store.addPasskey(ana, long, 10)).toBe('added');
      expect(await store.addPasskey(ana, first, 10)).toBe('added');
      for (const each of stores) {
        expect(await each.passkeys(ana)).toEqual([first, long]);
        expect(await each.passkey('aB')).toEqual({ accountId: ana, passkey: first });
        expect(await each.passkey('ab')).toBe(undefined);
        expect(await each.held(ana)).toEqual({ totp: false, passkeys: 2, recoveryCodes: 0 });
      }
      expect(await store.addPasskey(eve, first, 10)).toBe('taken');
      expect(await store.addPasskey(ana, first, 10)).toBe('taken');
      expect(await store.passkeys(eve)).toEqual([]);
      expect([await store.removePasskey(eve, 'aB'), await store.removePasskey(ana, 'ab')]).toEqual([false, false]);
      expect([await store.removePasskey(ana, 'aB'), await store.removePasskey(ana, 'aB')]).toEqual([true, false]);
      expect(await store.addPasskey(eve, first, 10)).toBe('added');
    });

    test('of many that are added at once, so many stay as there is room for, and one of each id', async () => {
      const added = await atOnce(8, stores, (each, index) => each.addPasskey(ana, passkeyOf(`k${index}`), 3));
      expect([...added].sort()).toEqual([...Array(3).fill('added'), ...Array(5).fill('full')]);
      expect(await store.passkeys(ana)).toHaveLength(3);
      const same = await atOnce(8, stores, (each, index) => each.addPasskey(`u${index}`, passkeyOf('same'), 3));
      expect(same.filter((answer) => answer === 'added')).toHaveLength(1);
    });

    test('a use is noted while the counter is the one that was read', async () => {
      await store.addPasskey(ana, passkeyOf('a'), 3);
      const use = { from: 3, counter: 4, backedUp: true, at: at + 5 };
      expect(winners(await atOnce(8, stores, (each) => each.usePasskey('a', use)))).toBe(1);
      expect((await subject.another.factors.passkey('a'))?.passkey).toEqual(
        passkeyOf('a', { counter: 4, backedUp: true, lastUsedAt: at + 5 }),
      );
      expect(await store.usePasskey('a', { ...use, from: 3 })).toBe(false);
      expect(await store.usePasskey('b', { ...use, from: 3 })).toBe(false);
    });

    test('one without a counter is used again and again, at the same moment too', async () => {
      await store.addPasskey(ana, passkeyOf('a', { counter: 0 }), 3);
      const use = { from: 0, counter: 0, backedUp: false, at };
      expect([await store.usePasskey('a', use), await store.usePasskey('a', use)]).toEqual([true, true]);
    });
  });

  test('everything goes with the account', async () => {
    const account = accountOf('ana@example.test');
    await subject.store.create(account);
    await store.beginTotp(account.id, 's');
    await store.confirmTotp(account.id, 's', 1, at);
    await store.addPasskey(account.id, passkeyOf('a'), 3);
    await store.setRecoveryCodes(account.id, ['h']);
    expect(await store.held(account.id)).toEqual({ totp: true, passkeys: 1, recoveryCodes: 1 });
    await subject.store.delete(account.id);
    expect(await store.held(account.id)).toEqual({ totp: false, passkeys: 0, recoveryCodes: 0 });
    expect([await store.passkey('a'), await store.totp(account.id)]).toEqual([undefined, undefined]);
  });
}
