import { describe } from 'vitest';
import { engines } from '../../connectors/database/testing/engines.ts';
import { MemoryAccountStore } from './memory/accounts.ts';
import { accountBed } from './testing/account-beds.ts';
import { accountConformance } from './testing/account-conformance.ts';

describe('memory', () =>
  accountConformance(async () => {
    const store = new MemoryAccountStore();
    return { store, another: store, close: () => store.close() };
  }));

for (const each of engines)
  describe.skipIf(each.skip)(each.engine, () =>
    accountConformance(async () => {
      const bed = await accountBed(each);
      const [store, another] = [await bed.store(), await bed.store()];
      await Promise.all([store.open(), another.open()]);
      return { store, another, close: () => bed.close() };
    }),
  );
