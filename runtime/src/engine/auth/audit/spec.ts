import { block, flag, list, oneOf, reference, text } from '@svc/protocol/schema';

/** Everything that is recorded. */
export const auditEvents = [
  'login',
  'logout',
  'failed_login',
  'register',
  'password_change',
  'password_reset',
  'token_refresh',
  'session_revoked',
  'account_locked',
  'account_changed',
  'mfa_enabled',
  'mfa_disabled',
  'sso_login',
  'account_linked',
  'account_unlinked',
] as const;

export const audit = block({
  doc: 'Records what happens to accounts in a table.',
  attributes: {
    enabled: flag('false turns it off.', { default: true }),
    connector: reference('The relational database that keeps the records.', 'connector', { required: true }),
    table: text('Table of the records, made at start when it is missing.', {
      default: 'auth_audit',
      pattern: {
        source: '^[A-Za-z_]\\w{0,62}(\\.[A-Za-z_]\\w{0,62})?$',
        says: 'must be a name of letters, digits and underscores, with a schema in front or without',
      },
    }),
    events: list('What is recorded. Default: everything.', oneOf('Event.', auditEvents)),
    required: flag('What cannot be recorded is refused (503).', { default: false }),
  },
  example: 'audit {\n  connector = connector.db\n  events    = ["login", "failed_login", "password_change"]\n}',
});
