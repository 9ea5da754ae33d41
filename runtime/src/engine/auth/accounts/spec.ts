import { block, reference, text } from '@svc/protocol/schema';

const identifier = {
  pattern: { source: '^[A-Za-z_]\\w{0,62}$', says: 'must be the name of a column' },
} as const;
const column = (doc: string, usual: string) => text(doc, { ...identifier, default: usual });
const optional = (doc: string) => text(doc, identifier);

export const users = block({
  doc: 'The database that keeps the accounts. Without it they are in the memory of the process, and lost with it.',
  attributes: {
    connector: reference('The relational database.', 'connector', { required: true }),
    table: text('Table of the accounts, made at start when it is missing.', {
      default: 'users',
      pattern: {
        source: '^[A-Za-z_]\\w{0,62}(\\.[A-Za-z_]\\w{0,62})?$',
        says: 'must be a name of letters, digits and underscores, with a schema in front or without',
      },
    }),
  },
  blocks: {
    fields: block({
      doc: 'Columns of the table.',
      asAttribute: true,
      attributes: {
        id: column('Key of the account.', 'id'),
        email: column('Address that the account signs in with, unique.', 'email'),
        password_hash: column('Hash of the password; null where it has no password.', 'password_hash'),
        created_at: column('When the account was made.', 'created_at'),
        updated_at: column('When the account was changed.', 'updated_at'),
        mfa_enabled: optional('Whether a second factor is enrolled.'),
        password_changed_at: optional('When the password was set. Without this column no password expires.'),
        roles: optional('Roles, as a JSON list or separated by commas.'),
      },
    }),
  },
  example: 'users {\n  connector = connector.db\n  table     = "users"\n  fields {\n    roles = "roles"\n  }\n}',
});
