import { block, connector, duration, flag, int, oneOf, text } from '@svc/protocol/schema';
import { everyConnector } from '../../spec.ts';
import { operation, tables, target, valuesDoc } from '../block.ts';

const pool = block({
  doc: 'How many connections are held.',
  attributes: {
    max: int(
      'Most connections at once, beside one for the check of health. A request that gets none within `connect_timeout` fails with 503.',
      {
        default: 25,
        min: 1,
        max: 10_000,
      },
    ),
    min: int('Connections that stay open when idle.', { default: 5, min: 0, max: 10_000 }),
    max_lifetime: duration('A connection older than this is replaced when it becomes free; 0 keeps it.', {
      default: 0,
      min: 0,
    }),
  },
});

const replicas = block({
  doc: 'A read replica with the credentials, database and TLS of the primary. Reads go round the replicas that can be reached; writes, transactions and locking reads go to the primary.',
  repeated: true,
  attributes: {
    host: text('Host of the replica.', { required: true }),
    port: int('Port of the replica; that of the primary when absent.', { min: 1, max: 65_535 }),
    weight: int('Share of the reads beside the other replicas.', { default: 1, min: 1, max: 100 }),
    max_connections: int('Most connections to this replica; `pool.max` when absent.', { min: 1, max: 10_000 }),
  },
});

/** `type = "database"`, `driver = "postgres"`. */
export const postgres = connector({
  type: 'database',
  driver: 'postgres',
  kind: 'db',
  driverAliases: ['postgresql'],
  config: block({
    doc: `A PostgreSQL database. ${valuesDoc}`,
    attributes: {
      url: text('Whole address; an attribute that is written beside it wins over its part.', {
        secret: true,
        aliases: ['uri'],
        pattern: { source: '^postgres(ql)?://', says: 'does not begin with postgres:// or postgresql://' },
        example: '"postgres://app:secret@db.internal:5432/shop?sslmode=verify-full"',
      }),
      host: text('Host, or the directory of a Unix socket; `localhost` when absent.'),
      port: int('Port; 5432 when absent.', { min: 1, max: 65_535 }),
      database: text('Name of the database; required here or in `url`.'),
      user: text('Who connects; required here or in `url`.', { aliases: ['username'] }),
      password: text('Password of the user.', { secret: true }),
      ssl_mode: oneOf(
        '`disable` sends everything in clear; `require` encrypts without asking who answers; `verify-ca` checks the certificate; `verify-full` its host name too. `disable` when absent.',
        ['disable', 'require', 'verify-ca', 'verify-full'],
        { aliases: ['sslmode'] },
      ),
      ssl_root_cert: text('PEM file of the authorities that are trusted, instead of those of the system.', {
        namesFile: 'read',
        aliases: ['sslrootcert'],
      }),
      ssl_cert: text('PEM file of the certificate that is presented to the server.', {
        namesFile: 'read',
        aliases: ['sslcert'],
      }),
      ssl_key: text('PEM file of the private key of `ssl_cert`.', { namesFile: 'read', aliases: ['sslkey'] }),
      connect_timeout: duration('Longest wait for a connection, be it new or one that others use.', {
        default: 10_000,
        min: 1,
      }),
      statement_timeout: duration(
        'Longest time of one statement, for those whose operation has no `timeout`. It is cancelled on the server; a connection that does not even answer that is replaced. 0 is for ever.',
        { default: 30_000, min: 0 },
      ),
      tables,
      use_replicas: flag('Whether reads go to the replicas.', { default: true }),
      ...everyConnector.attributes,
    },
    blocks: { pool, replicas },
    rules: [
      { rule: 'atLeastOneOf', names: ['url', 'database'] },
      { rule: 'atLeastOneOf', names: ['url', 'user'] },
      { rule: 'together', name: 'ssl_cert', needs: ['ssl_key'] },
      { rule: 'together', name: 'ssl_key', needs: ['ssl_cert'] },
    ],
  }),
  operation,
  target,
});
