import { block, connector, flag, int, list, oneOf, size, text } from '@svc/protocol/schema';
import { maxMessage } from '../../../../platform/net/server-spec.ts';
import { everyConnector } from '../../../core/spec.ts';
import { workers } from '../../../intake/broker/consumer-spec.ts';
import { serverAttributes, urlOf } from '../../server/spec.ts';
import { postgresDefaults } from '../spec.ts';
import { checkOperation } from './operations.ts';

const tablePattern = {
  source: '^[A-Za-z_][A-Za-z0-9_$]*(\\.[A-Za-z_][A-Za-z0-9_$]*)?$',
  says: 'must be `table` or `schema.table`',
};

const { host, port, database, user, password, ssl_mode, ssl_root_cert, ssl_cert, ssl_key, connect_timeout } =
  serverAttributes(postgresDefaults);

const deadLetters = block({
  doc: 'What becomes of changes that keep failing, or never can succeed: after its last try a change is written into a table of the same database, with the reason, and counts as handled when that is committed. Without the block no change is given up, but for those that never can succeed, which are dropped with a warning.',
  attributes: {
    enabled: flag('Whether the block is used.', { default: true }),
    max_retries: int('Tries after the first one.', { default: 3, min: 0, max: 1_000_000 }),
    table: text(
      'Table of changes that are given up: `slot`, `id`, `failed_at`, `reason` and the whole `change` as JSON; rows with a value that `jsonb` cannot hold are one text in it, `text`. Its own changes are passed over.',
      { default: 'svc_dead_letters', pattern: tablePattern },
    ),
  },
});

/** `type = "cdc"`: the changes of tables, from the log of their database. */
export const cdc = connector({
  type: 'cdc',
  driver: 'postgres',
  driverAliases: ['postgresql'],
  defaultDriver: true,
  canonical: 'cdc',
  kind: 'queue',
  config: block({
    doc: 'Takes the changes of tables from a PostgreSQL database (14 or later, `wal_level = logical`) over a replication slot with the plugin `pgoutput`. A change is confirmed after its flows, and the slot keeps everything behind the first change that is not: it comes again after a restart or a lost connection, and nothing is left out. Of several processes one uses the slot; the others wait until it is free. An operation is `INSERT:orders`, `*:orders`, `UPDATE:*` or `*`, also with a schema (`DELETE:sales.orders`); of several the most specific one takes a change. Values are read as `database` reads them: `numeric` as text with every digit, times as RFC 3339 in UTC, `json` and arrays as such.',
    attributes: {
      url: urlOf(['postgres', 'postgresql'], 'postgres://replicator:secret@db.internal:5432/shop?sslmode=verify-full'),
      host,
      port,
      database,
      user,
      password,
      ssl_mode,
      ssl_root_cert,
      ssl_cert,
      ssl_key,
      connect_timeout,
      slot_name: text(
        'Replication slot: how far the changes are handled is kept in it, at the server. A change comes to one connector of a slot alone: each service, and each connector of one, has its own.',
        {
          default: 'svc_slot',
          pattern: { source: '^[a-z0-9_]{1,63}$', says: 'must consist of lower-case letters, digits and underscores' },
        },
      ),
      publication: text('Publication: which tables and which kinds of changes the server sends.', {
        default: 'svc_pub',
        pattern: { source: '^[A-Za-z_][A-Za-z0-9_]{0,62}$', says: 'must be the name of a publication' },
      }),
      create_if_missing: flag(
        'Makes the publication, the slot and the table for dead letters where they do not exist: the publication of `tables`, else of the tables that flows name, else of all tables. None is ever changed or removed.',
        { default: false },
      ),
      tables: list(
        'Tables whose changes are taken, with or without their schema; those of others in the publication are passed over. Each must be in the publication. Without it, whatever the publication has.',
        text('A table.', { pattern: tablePattern }),
        { example: '["orders", "sales.customers"]' },
      ),
      snapshot: oneOf(
        "Whether rows that exist are delivered, as `INSERT` with `input.snapshot`: `never`; `on_request`, when `SELECT pg_logical_emit_message(true, 'svc_snapshot:<slot_name>', 'orders')` is executed in the database, for these tables, separated by commas, or for all with an empty text; `initial`, when the slot is made here as well.",
        ['never', 'on_request', 'initial'],
        { default: 'never' },
      ),
      order: oneOf(
        'What keeps its order: `row`, the changes of one row, while others pass one that fails; `commit`, all changes as they were committed, so that one that fails holds up those behind it.',
        ['row', 'commit'],
        { default: 'row' },
      ),
      prefetch: int('Most changes that are held without being settled.', { default: 100, min: 10, max: 65_535 }),
      workers: workers(1),
      max_message: maxMessage(
        'Largest change, with its old values. A larger one ends the connection before it has come.',
        67_108_864,
        1_073_741_823,
      ),
      max_lag: size(
        'Bytes of the log of the database that may wait for this service. With more the connector is `degraded`: the server keeps them on its disk.',
        { default: 1_073_741_824, min: 1 },
      ),
      ...everyConnector.attributes,
    },
    blocks: { dlq: deadLetters },
    rules: [
      { rule: 'atLeastOneOf', names: ['url', 'database'] },
      { rule: 'atLeastOneOf', names: ['url', 'user'] },
      { rule: 'together', name: 'ssl_cert', needs: ['ssl_key'] },
      { rule: 'together', name: 'ssl_key', needs: ['ssl_cert'] },
    ],
    example: `connector "changes" {
  type              = "cdc"
  driver            = "postgres"
  host              = "db"
  database          = "shop"
  user              = "replicator"
  password          = env("REPLICATOR_PASSWORD")
  create_if_missing = true
  tables            = ["orders"]
}`,
  }),
  source: {
    operation: 'optional',
    style: 'stream',
    redelivers: true,
    contiguous: true,
    placement: 'one-worker',
    coexists: false,
    offers: ['INSERT:', 'UPDATE:', 'DELETE:', '*:', '*'],
    input: {
      trigger:
        'What happened: `INSERT`, `UPDATE` or `DELETE`. A `TRUNCATE` names no rows and reaches no flow: it is counted, and the first of each table is logged.',
      table: 'The table, in lower case.',
      schema: 'The schema of the table.',
      timestamp: 'When the transaction was committed, in UTC; of a row of a snapshot, when that was asked for.',
      id: 'The same text each time that this change is delivered.',
      new: 'Of an INSERT and an UPDATE, the row as it is afterwards.',
      old: 'Of an UPDATE and a DELETE, what the server sends of the row before: the columns of its replica identity. After an UPDATE only where these changed, or with `REPLICA IDENTITY FULL`.',
      unchanged:
        'Of an UPDATE, the names of large columns that did not change and whose values the server does not send: they are absent in `new`. Absent when every value was sent.',
      snapshot: 'True for a row that existed already. Absent for changes.',
    },
    checkOperation,
  },
});
