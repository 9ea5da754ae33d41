import { block, duration, flag, int, oneOf, text, type Values } from '@svc/protocol/schema';
import { everyConnector } from '../../core/spec.ts';
import { tables } from '../block.ts';

/** What is meant where nothing is written, in which one kind of server differs from others. */
export interface ServerDefaults {
  readonly port: number;
  /** Of a connection; milliseconds, 0 for ever. */
  readonly maxLifetime: number;
}

/** The same for all kinds of servers: numbers of connections. */
export const poolDefaults = { max: 25, min: 5 } as const;

/** `pool` of a database server. */
export function poolOf({ maxLifetime }: Pick<ServerDefaults, 'maxLifetime'>) {
  return block({
    doc: 'How many connections are held.',
    attributes: {
      max: int(
        'Most connections at once, beside one for the check of health. A request that gets none within `connect_timeout` fails with 503.',
        {
          default: poolDefaults.max,
          min: 1,
          max: 10_000,
        },
      ),
      min: int('Connections that stay open when idle.', { default: poolDefaults.min, min: 0, max: 10_000 }),
      max_lifetime: duration('A connection older than this is replaced when it becomes free; 0 keeps it.', {
        default: maxLifetime,
        min: 0,
      }),
    },
    rules: [{ rule: 'inOrder', low: 'min', high: 'max' }],
  });
}

export const replicas = block({
  doc: 'A read replica with the credentials, database and TLS of the primary. Reads go round the replicas that can be reached; writes, transactions and locking reads go to the primary.',
  repeated: true,
  attributes: {
    host: text('Host of the replica.', { required: true }),
    port: int('Port of the replica; that of the primary when absent.', { min: 1, max: 65_535 }),
    weight: int('Share of the reads beside the other replicas.', { default: 1, min: 1, max: 100 }),
    max_connections: int('Most connections to this replica; `pool.max` when absent.', { min: 1, max: 10_000 }),
  },
});

/** `url` of servers whose addresses begin with one of these schemes; an address to show is at `example`. */
export function urlOf(schemes: readonly string[], example: string) {
  const begins = schemes.map((scheme) => `${scheme}://`).join(' or ');
  return text('Whole address; an attribute that is written beside it wins over its part.', {
    secret: true,
    aliases: ['uri'],
    pattern: { source: `^(${schemes.join('|')})://`, says: `does not begin with ${begins}` },
    example: `"${example}"`,
  });
}

/** Where a server is, who connects, and how long is waited. */
export function serverAttributes({ port }: Pick<ServerDefaults, 'port'>) {
  return {
    host: text('Host, or the directory of a Unix socket; `localhost` when absent.'),
    port: int(`Port; ${port} when absent.`, { min: 1, max: 65_535 }),
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
  };
}

/** What is required, here or in `url`. */
export const serverRules = [
  { rule: 'atLeastOneOf', names: ['url', 'database'] },
  { rule: 'atLeastOneOf', names: ['url', 'user'] },
  { rule: 'together', name: 'ssl_cert', needs: ['ssl_key'] },
  { rule: 'together', name: 'ssl_key', needs: ['ssl_cert'] },
] as const;

const anyServer = block({
  doc: 'What the blocks of all database servers have in common.',
  attributes: { url: text('Whole address.'), ...serverAttributes({ port: 0 }) },
  blocks: { pool: poolOf({ maxLifetime: 0 }), replicas },
});

/** What is written of any database server. */
export type ServerConfig = Values<typeof anyServer>;
