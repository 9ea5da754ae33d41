import { block, text } from '@svc/protocol/schema';
import { storage as shared, sharedDrivers } from '../../../platform/sync/storage-spec.ts';

/** Where sessions, locks and links are kept. */
export const storage = block({
  doc: shared.doc,
  attributes: {
    ...shared.attributes,
    prefix: text(
      'Keys begin with it in place of the scope of the accounts, so that services with the same one share sessions, locks and links. Without it they share them where they have one table of accounts.',
      {
        example: '"shop"',
        pattern: {
          source: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$',
          says: 'must be at most 64 letters, digits, `-`, `_` and `.`, and begin with a letter or digit',
        },
      },
    ),
  },
  rules: [...shared.rules, { rule: 'onlyWhen', name: 'prefix', when: 'driver', is: sharedDrivers }],
  example: shared.example,
});
