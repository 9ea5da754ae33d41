import type { Proof } from './proof.ts';

const mongodbSettings = 'runtime/src/connectors/database/mongodb/settings.test.ts';
const mongodbOperations = 'runtime/src/connectors/database/mongodb/operations.test.ts';
const mongodbFailures = 'runtime/src/connectors/database/mongodb/failure.test.ts';
const mongodbChanges = 'runtime/src/connectors/database/mongodb/changes/changes.test.ts';
const composed: Proof = [mongodbSettings, 'of %j is %s'];
const signsIn: Proof = [
  mongodbSettings,
  'A-11: a user signs in with the database that knows it; a refusal contains no password',
];
const bounded: Proof = [
  mongodbFailures,
  'more operations than `pool.max` wait for `connect_timeout`, and are refused without being sent',
];
const heldChanges: Proof = [
  mongodbChanges,
  'R-68: at most `window` changes are held, of which `workers` are handled; those of one document are in order',
];
const givenUp: Proof = [
  mongodbChanges,
  'R-75: a change that keeps failing is given up after `max_retries`, and kept in `dead_letters`',
];
const mongodbTls: Proof = [mongodbSettings, 'a peer is verified by authority and name, unless that is switched off'];
const pipeline: Proof = [mongodbOperations, 'a pipeline takes its parameters from params, the payload and the filters'];
const updates: Proof = [mongodbOperations, '`update` is a document of operators, whose values come from the message'];
const mongodbNamed: Proof = [
  'runtime/src/connectors/database/mongodb/service.test.ts',
  'flows read, write and take changes as they are configured',
];
const mongodbWritten: Proof = [
  mongodbOperations,
  'a named operation says what is done, which documents it finds and how they change',
];
const mongodbBounds: Proof = [
  mongodbOperations,
  'a read that finds more documents or bytes than one may answer fails, and names the attribute',
];

export const mongodb: Readonly<Record<string, Proof>> = {
  uri: [mongodbSettings, '`uri` is used as it is; what is written beside it has no effect, and is reported'],
  host: composed,
  port: composed,
  database: [mongodbSettings, '`read_concern` goes with every read, and `database` is where collections are'],
  user: signsIn,
  password: signsIn,
  srv: composed,
  direct: [mongodbSettings, '`direct` uses the server in the address; else the member that the replica set names'],
  auth_source: signsIn,
  replica_set: composed,
  read_concern: [mongodbSettings, '`read_concern` goes with every read, and `database` is where collections are'],
  statement_timeout: [
    mongodbFailures,
    'an operation ends after `statement_timeout`, or the timeout of its own, also when the server is silent',
  ],
  max_rows: mongodbBounds,
  max_response: mongodbBounds,
  collections: [mongodbOperations, 'S-49: a message names a collection of the list and no other'],
  'pool.max': bounded,
  'pool.min': [mongodbSettings, '`pool.min` connections stay open'],
  'pool.connect_timeout': bounded,
  'tls.enabled': mongodbTls,
  'tls.ca_cert': mongodbTls,
  'tls.cert': mongodbTls,
  'tls.key': mongodbTls,
  'tls.server_name': mongodbTls,
  'tls.insecure_skip_verify': mongodbTls,
  'changes.workers': heldChanges,
  'changes.window': heldChanges,
  'changes.document': [mongodbChanges, '`document` says whether an update comes with the document as it is now'],
  'changes.before': [mongodbChanges, '`before` is the document as it was, where the server keeps it'],
  'changes.order': [
    'runtime/src/connectors/database/mongodb/changes/order.test.ts',
    'R-45: with `order = "commit"` a change that fails holds up everything behind it',
  ],
  'changes.max_retries': givenUp,
  'changes.dead_letters': givenUp,
  'operation.timeout': [
    'runtime/src/connectors/testing/target-conformance.ts',
    'that takes longer than it may ends, frees what it had and leaves the connector usable',
  ],
  'operation.collection': mongodbNamed,
  'operation.query': mongodbNamed,
  'operation.action': mongodbWritten,
  'operation.query_filter': mongodbWritten,
  'operation.update': mongodbWritten,
};

const taken: Proof = [
  'test/scenarios/documents/example.test.ts',
  'R-93: takes an order and its stock together, or nothing',
];

/** Words of blocks that name a document database. */
export const documentWords: Readonly<Record<string, Proof>> = {
  'to.query': pipeline,
  'to.query_filter': [
    'runtime/src/connectors/database/mongodb/documents.test.ts',
    'operators of the configuration work, with values of the message',
  ],
  'to.update': updates,
  'to.transaction.exec.query': taken,
  'to.transaction.exec.when': taken,
  'to.transaction.exec.capture': taken,
  'to.conflict': [mongodbOperations, 'UPSERT finds by the fields of `conflict`, by `id` when they are not written'],
  'step.query': pipeline,
  'step.update': updates,
  'action.query': pipeline,
};

const cacheServer = 'runtime/src/connectors/cache/kv/connector.test.ts';
const user: Proof = [cacheServer, 'a user has a name and a password of their own'];
const apart: Proof = [cacheServer, 'prefixes and databases keep their entries apart'];
const looked: Proof = [cacheServer, 'host and port are where it is looked for'];

const cacheCommands: Proof = [
  'test/scenarios/cache/commands.test.ts',
  'flows set, get, count and delete entries by named operations',
];
export const cacheOperation: Readonly<Record<string, Proof>> = {
  'operation.key_pattern': cacheCommands,
  'operation.command': cacheCommands,
  'operation.ttl': cacheCommands,
};

const arranged = 'runtime/src/connectors/cache/kv/arrangements.test.ts';
const readElsewhere: Proof = [arranged, '%s asks replicas for what is only read'];
const wrong: Proof = [arranged, 'a wrong %s fails at start'];
const memoryFront = 'runtime/src/connectors/cache/kv/memory-front.test.ts';
const cacheTls: Proof = ['runtime/src/connectors/cache/kv/tls.test.ts', 'S-87: with %s it keeps entries'];

export const sharedCache: Readonly<Record<string, Proof>> = {
  ...cacheOperation,
  mode: [
    'runtime/src/connectors/cache/kv/rules.test.ts',
    'a block of another mode is refused by name, with what to write',
  ],
  'cluster.nodes': [arranged, 'one node leads to the others'],
  'cluster.password': [arranged, 'passwords are needed and not shown'],
  'cluster.max_redirects': [arranged, 'a moved slot is followed max_redirects times'],
  'cluster.read_only': readElsewhere,
  'cluster.route_randomly': readElsewhere,
  'sentinel.master_name': wrong,
  'sentinel.nodes': wrong,
  'sentinel.password': wrong,
  'sentinel.master_password': wrong,
  'sentinel.db': [arranged, 'databases keep their entries apart'],
  'sentinel.replica_only': [arranged, 'with replica_only a replica answers, and refuses what writes'],
  'memory.max_items': [memoryFront, 'max_items is how many entries are kept in memory'],
  'memory.ttl': [memoryFront, 'an entry is answered from memory no longer than ttl, and than the entry lives'],
  'tls.enabled': cacheTls,
  'tls.ca_cert': cacheTls,
  'tls.cert': cacheTls,
  'tls.key': cacheTls,
  'tls.server_name': cacheTls,
  'tls.insecure_skip_verify': cacheTls,
  url: [cacheServer, 'an unreachable server fails start-up naming where it was looked for'],
  host: looked,
  port: looked,
  username: user,
  password: user,
  db: apart,
  prefix: apart,
  default_ttl: [cacheServer, 'an entry that does not say it lives as long as default_ttl'],
  timeout: [cacheServer, 'a server that does not answer is waited for no longer than the timeout'],
  'pool.connect_timeout': [cacheServer, 'a connection that is not made in time ends the start'],
};

const searchSettings = 'runtime/src/connectors/search/settings.test.ts';
const searchFailures = 'runtime/src/connectors/search/client/failures.test.ts';
const asks: Proof = [searchSettings, 'is who asks: %s'];
const turns: Proof = [
  'runtime/src/connectors/search/client/nodes.test.ts',
  'of a cluster share the requests; when one is gone no request fails',
];

export const search: Readonly<Record<string, Proof>> = {
  url: asks,
  nodes: turns,
  username: asks,
  password: asks,
  api_key: asks,
  index: [searchSettings, 'is the index of calls that name none, and `target` wins'],
  indices: ['runtime/src/connectors/search/connector.test.ts', 'is one of those that are listed'],
  timeout: [searchSettings, 'is how long an answer is waited for'],
  max_response: [searchSettings, 'is the largest answer that is read'],
  max_hits: [searchSettings, 'is how far a search may reach'],
  refresh: [searchSettings, 'is when searches find what was written: %s'],
  'retry.attempts': [searchFailures, 'when it reads or writes under an id; never when that could be twice'],
  'retry.delay': [searchFailures, 'after a wait that grows, or that the server asks for, and gets its answer'],
  'retry.max_delay': [searchFailures, 'after a wait that grows, or that the server asks for, and gets its answer'],
  'retry.backoff': [searchFailures, 'with waits that grow: %s'],
};

const changes = 'runtime/src/connectors/database/postgres/changes';
const deadChanges = `${changes}/dead-letters.test.ts`;
const changeSettings = `${changes}/settings.test.ts`;
const changeServer: Proof = [changeSettings, 'is where the server is, and who connects'];
const changeTls: Proof = [changeSettings, 'S-87: both connections to a server are TLS: %s'];
const changePlace: Proof = [changeSettings, 'is which slot and publication are used'];
const changeOrder = `${changes}/connector.test.ts`;

/** Changes of tables. */
export const tableChanges: Readonly<Record<string, Proof>> = {
  'dlq.enabled': [
    deadChanges,
    'without the block one that can never succeed is dropped, with a warning; so it is where the block is switched off',
  ],
  'dlq.max_retries': [
    deadChanges,
    'what fails in every try goes there after its last one, also where it holds up all others',
  ],
  'dlq.table': [
    deadChanges,
    'the table has the name that is written, is made only when asked, and what exists is used',
  ],
  url: changePlace,
  host: changeServer,
  port: changeServer,
  database: changeServer,
  user: changeServer,
  password: changeServer,
  ssl_mode: changeTls,
  ssl_root_cert: changeTls,
  ssl_cert: changeTls,
  ssl_key: changeTls,
  connect_timeout: [changeSettings, 'is how long a connection is waited for'],
  slot_name: changePlace,
  publication: changePlace,
  create_if_missing: [
    `${changes}/slot.test.ts`,
    'nothing is made unless that is asked for: what is missing is reported with its remedies',
  ],
  tables: [`${changes}/slot.test.ts`, 'changes of tables that are not listed are passed over'],
  snapshot: [
    `${changes}/snapshot.test.ts`,
    'are delivered on request, in their place among the changes; values and conditions are those of the publication',
  ],
  order: [changeOrder, 'R-45: with `order = "commit"` a change that fails holds up everything behind it'],
  prefetch: [
    changeOrder,
    'R-68: at most `prefetch` changes are held, of which `workers` are handled, and the server keeps the others',
  ],
  workers: [
    changeOrder,
    'R-68: at most `prefetch` changes are held, of which `workers` are handled, and the server keeps the others',
  ],
  max_message: [
    changeSettings,
    'is the largest change that it takes: the connection ends before a larger one has come',
  ],
  max_lag: [
    `${changes}/slot.test.ts`,
    'a slot that falls behind is reported in bytes, by metric and health, and is well again',
  ],
};
