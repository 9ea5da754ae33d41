import {
  argument,
  block,
  connector,
  duration,
  flag,
  int,
  list,
  ofPlace,
  oneOf,
  size,
  text,
  value,
} from '@svc/protocol/schema';
import { tlsBlock } from '../../../platform/net/tls-spec.ts';
import { everyConnector, operationAttributes, operationLabel, param } from '../../core/spec.ts';
import { carried } from '../../core/words-spec.ts';
import { changesBlock, checkCollection } from './changes/spec.ts';
import { checkOperation, offeredOperations } from './operations.ts';
import { callProblem, operationProblem } from './plan.ts';
import { formOf } from './spoken.ts';
import { checkStatement } from './transactions/rules.ts';

const update = argument(
  'What an UPDATE does, as an object of operators such as `$set`, `$inc` and `$push`; its operators and paths are those written here, its values are data. Without it the fields of the payload are set.',
  { reads: ofPlace, example: '{ "$inc" = { stock = -1 }, "$set" = { seen = "timestamp(now())" } }' },
);

const query = text(
  'An aggregation pipeline as JSON, in which `":name"` is a parameter; of the collection in `target`.',
  { example: '"[{\\"$match\\": {\\"state\\": \\":state\\"}}]"' },
);

const operation = block({
  doc: 'A collection, or a pipeline over one, under a name that flows write in `operation`.',
  label: operationLabel,
  repeated: true,
  attributes: {
    ...operationAttributes,
    collection: text('Collection that is read or written.', {
      required: true,
      aliases: ['table'],
      atConnector: true,
      example: '"orders"',
    }),
    action: oneOf('What is done; it follows from the flow when absent.', offeredOperations),
    query,
    query_filter: value(
      'Finds the documents; a text `":name"` is the value of a parameter. It replaces the filters of the message.',
      { example: '{ state = "open", total = { "$gte" = ":from" } }' },
    ),
    update: value('What an UPDATE does, as in flows; a text `":name"` is the value of a parameter.', {
      example: '{ "$set" = { state = ":state" }, "$inc" = { changes = 1 } }',
    }),
  },
  blocks: { param },
});

const pool = block({
  doc: 'How many connections are held.',
  attributes: {
    max: int('Most operations at a time. One that gets no connection within `connect_timeout` fails with 503.', {
      default: 100,
      min: 1,
      max: 10_000,
    }),
    min: int('Connections that stay open when idle.', { default: 5, min: 0, max: 10_000 }),
    connect_timeout: duration('Longest wait for a connection, be it new or one that others use.', {
      default: 10_000,
      min: 1,
    }),
  },
});

/** `type = "database"`, `driver = "mongodb"`. */
export const mongodb = connector({
  type: 'database',
  driver: 'mongodb',
  driverAliases: ['mongo'],
  speaks: formOf,
  kind: 'db',
  config: block({
    doc: 'A MongoDB database (4.4 or later). Rows are documents. Operators come from the configuration alone: a field of a message that is named like one is refused with 400. A text of 24 hexadecimal digits under `_id` is an ObjectId, under `id` it becomes `_id`; ObjectIds are read as such texts. Dates are read as RFC 3339 and written from timestamps of expressions; Decimal128 is read as text, Int64 keeps its digits, binary values are base64. Statements of a `transaction` are commands in JSON: `insert`, `update`, `delete`, `find` and `aggregate`, with `":name"` for their parameters. Transactions, and a flow `from` it, which takes the changes of a collection, need a replica set.',
    attributes: {
      uri: text('Whole address; it is used as it is, and the parts beside it have no effect.', {
        secret: true,
        aliases: ['url'],
        pattern: { source: '^mongodb(\\+srv)?://', says: 'must begin with mongodb:// or mongodb+srv://' },
        example: '"mongodb://app:secret@db.internal:27017/?replicaSet=rs0"',
      }),
      host: text('Host; `localhost` when absent.'),
      port: int('Port; 27017 when absent.', { min: 1, max: 65_535 }),
      database: text('Name of the database.', {
        required: true,
        pattern: { source: '^[^/\\\\. "$*<>:|?]{1,63}$', says: 'must be the name of a database' },
      }),
      user: text('Who connects.', { aliases: ['username'] }),
      password: text('Password of the user.', { secret: true }),
      srv: flag('Whether `host` is the name of a service record (`mongodb+srv`), which speaks TLS.', {
        default: false,
      }),
      direct: flag('Whether the server in the address is used as it is, whatever replica set it is in.', {
        default: false,
      }),
      auth_source: text('Database that knows the user; `admin` when absent.', { aliases: ['auth_db'] }),
      replica_set: text('Name of the replica set that the server must be in.'),
      read_concern: oneOf('What reads see; that of the server when absent.', [
        'local',
        'majority',
        'linearizable',
        'available',
      ]),
      statement_timeout: duration(
        'Longest time of one operation, for those that have no `timeout`. The server ends it then. 0 is for ever.',
        { default: 30_000, min: 0, aliases: ['operation_timeout'] },
      ),
      max_rows: int(
        'Most documents that one read answers. One that finds more fails and says so; a larger `limit` of a message is refused with 400.',
        { default: 10_000, min: 1, max: 10_000_000 },
      ),
      max_response: size('Most bytes of the documents that one read answers, as the server sends them.', {
        default: 32 * 1024 * 1024,
        min: 1,
      }),
      collections: list(
        'Collections that a message may name where `target` comes from the message. Others are refused; without the list, any collection may be named but those of the system.',
        text('Name of a collection.', { atConnector: true }),
        { aliases: ['tables'], example: '["orders", "invoices"]' },
      ),
      ...everyConnector.attributes,
    },
    blocks: { pool, tls: tlsBlock, changes: changesBlock },
    unavailable: ['replicas', 'use_replicas'],
  }),
  operation,
  source: {
    operation: 'required',
    style: 'stream',
    redelivers: true,
    placement: 'every-worker',
    input: {
      operation: 'What happened: `insert`, `update`, `replace` or `delete`.',
      collection: 'The collection.',
      id: 'The `_id` of the document.',
      document: 'The document: as it is now after an update, absent after a delete.',
      before: 'The document as it was, where `before` of the block `changes` asks for it and the server has it.',
      updated: 'Of an update, the fields that changed, with their values.',
      removed: 'Of an update, the names of the fields that were removed.',
      timestamp: 'When the server made the change.',
    },
    checkOperation: checkCollection,
  },
  target: {
    abilities: ['read', 'write'],
    needsOneOf: ['target', 'transaction'],
    offers: offeredOperations,
    checkOperation,
    checkTarget: checkCollection,
    checkCall: callProblem,
    checkNamed: operationProblem,
    checkStatement,
    listsTargets: 'collections',
  },
  words: {
    to: block({
      doc: 'What a destination says of a document database.',
      attributes: {
        query: carried.query,
        query_filter: carried.query_filter,
        update,
        conflict: list(
          'Fields of the payload by which an UPSERT finds the document; `id` when absent.',
          text('A field.'),
          {
            example: '["email"]',
          },
        ),
      },
      blocks: { transaction: carried.transaction },
    }),
    step: block({ doc: 'What is asked of a document database.', attributes: { query: carried.query, update } }),
    action: block({ doc: 'What is asked of a document database.', attributes: { query: carried.query } }),
  },
});
