import { describe } from 'vitest';
import { engines } from '../../../connectors/database/testing/engines.ts';
import { MemoryAccountStore } from './memory/accounts.ts';
import { accountBed } from './testing/account-beds.ts';
import { type AccountSubject, accountConformance } from './testing/account-conformance.ts';
import { factorConformance } from './testing/factor-conformance.ts';
import { identityConformance } from './testing/identity-conformance.ts';

function conformance(make: () => Promise<AccountSubject>): void {
  describe('accounts', () => accountConformance(make));
  describe('second factors', () => factorConformance(make));
  describe('linked identities', () => identityConformance(make));
}

describe('memory', () =>
  conformance(async () => {
    const store = new MemoryAccountStore();
    return { store, another: store, close: () => store.close() };
  }));

for (const each of engines)
  describe.skipIf(each.skip)(each.engine, () =>
    conformance(async () => {
      const bed = await accountBed(each);
      const [store, another] = [await bed.store(), await bed.store()];
      await Promise.all([store.open(), another.open()]);
      return { store, another, close: () => bed.close() };
    }),
  );
