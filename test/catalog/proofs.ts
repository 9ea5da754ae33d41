import { own, queueWords } from './connector-proofs.ts';
import { graphqlWords } from './graphql-proofs.ts';
import type { Proof } from './proof.ts';
import { documentWords } from './store-proofs.ts';

const tombstone: Proof = [
  'runtime/src/connectors/mq/log/undecodable.test.ts',
  'with `tombstone` a payload without fields is sent without a value, and read as null',
];
const parameters = 'runtime/src/connectors/core/parameters.test.ts';
const operations = 'test/scenarios/operations/scenario.test.ts';
const transaction = 'runtime/src/engine/flow/stages/destination/transaction.test.ts';
const http = 'runtime/src/connectors/http/connector.test.ts';
const mqttSettings = 'runtime/src/connectors/mqtt/settings.test.ts';
const query: Proof = [
  'runtime/src/engine/flow/stages/steps/stage.test.ts',
  'calls what can be called, with body, headers and positional parameters',
];
const health: Proof = [
  'runtime/src/service/running/health/health.test.ts',
  'one that is optional degrades the service, which stays ready, and has its own state in metrics',
];
const converted: Proof = [operations, 'are converted to their type'];
const together: Proof = [operations, 'that are wrong are refused together, each by name'];

/** `operation "name"`, whatever the connector. */
const operation: Readonly<Record<string, Proof>> = {
  'operation.description': [
    'runtime/src/engine/export/openapi.test.ts',
    'named operations give parameters, a body and descriptions',
  ],
  'operation.input': [operations, 'checks what is sent, and sends nothing that does not fit'],
  'operation.output': [operations, 'checks what comes back'],
  'operation.timeout': [operations, 'ends with its time'],
  'operation.method': [
    'runtime/src/connectors/core/operations.test.ts',
    'a named operation becomes what a flow would have written',
  ],
  'operation.path': [
    'runtime/src/connectors/core/operations.test.ts',
    'a named operation becomes what a flow would have written',
  ],
  'operation.query': [
    'runtime/src/connectors/core/operations.test.ts',
    'a named operation becomes what a flow would have written',
  ],
  'operation.table': [
    'runtime/src/connectors/core/operations.test.ts',
    'a named operation becomes what a flow would have written',
  ],
  'operation.param.type': converted,
  'operation.param.required': together,
  'operation.param.default': [operations, 'have defaults, for what is absent or empty'],
  'operation.param.description': [
    'runtime/src/engine/export/openapi.test.ts',
    'named operations give parameters, a body and descriptions',
  ],
  'operation.param.in': [parameters, 'a header parameter comes from the headers and from nowhere else'],
  'operation.param.min': together,
  'operation.param.max': together,
  'operation.param.min_length': [
    parameters,
    'lengths count characters, and allowed values compare as the declared type',
  ],
  'operation.param.max_length': [
    parameters,
    'lengths count characters, and allowed values compare as the declared type',
  ],
  'operation.param.pattern': together,
  'operation.param.enum': together,
};

const upserted: Proof = [
  'runtime/src/connectors/database/upsert.test.ts',
  'a unique key finds the row, whose own key is answered, not that of an earlier row',
];

/** Words of relational databases. */
const relational: Readonly<Record<string, Proof>> = {
  'to.query': [
    'runtime/src/engine/flow/stages/destination/stage.test.ts',
    'with a query takes its parameters from the message and the transform',
  ],
  'to.query_filter': [
    'runtime/src/engine/flow/stages/destination/stage.test.ts',
    'filters by its path parameters alone and answers the list',
  ],
  'to.transaction.exec.query': [
    transaction,
    'runs its statements in written order, once per element, and answers what it did',
  ],
  'to.transaction.exec.when': [
    transaction,
    'runs its statements in written order, once per element, and answers what it did',
  ],
  'to.transaction.exec.capture': [
    transaction,
    'a statement that inserts no row captures the last key of this run, else null',
  ],
  'to.conflict': upserted,
  'step.conflict': upserted,
  'batch.conflict': upserted,
  'action.conflict': upserted,
  'step.query': query,
  'action.query': ['runtime/src/engine/flow/aspects/action.test.ts', 'a statement has the payload as its parameters'],
};

const spoken: Proof = [http, 'QUERY carries its data in the body, and envelope wraps it'];
const format: Proof = [http, 'the format that a step or a destination names wins over that of the connector'];

const namedOperations = 'runtime/src/connectors/core/operations.test.ts';
const searchBodies = 'runtime/src/connectors/search/reads/bodies.test.ts';
const fieldsOfDocuments: Proof = ['runtime/src/connectors/search/connector.test.ts', 'of fields answers those alone'];
const scripted: Proof = [
  'runtime/src/connectors/search/writes/changes.test.ts',
  'is updated: with fields, or by the script of the configuration',
];

const mqttPublish = 'runtime/src/connectors/mqtt/publish/publish.test.ts';
const mqttPayload: Proof = [mqttPublish, 'has a payload: %s'];

/** What connectors say beside their blocks, and their operations: the same for all that have it. */
export const shared: Readonly<Record<string, Proof>> = { ...operation, health };

/** Words that connectors add to the blocks of flows, by connector. */
export const words: Readonly<Record<string, Readonly<Record<string, Proof>>>> = {
  'rest server': {
    'from.format': [
      'runtime/src/connectors/rest/input.test.ts',
      'forms, csv and xml by Content-Type, and by the format of the flow',
    ],
  },
  'mq rabbitmq': {
    ...queueWords,
    'from.format': [
      'runtime/src/connectors/mq/amqp/connector.test.ts',
      'a body is JSON of any kind, else text; with a format it is decoded so',
    ],
  },
  'graphql server': graphqlWords,
  'mq nats': {
    'from.format': ['runtime/src/connectors/mq/nats/settings.test.ts', 'is what a body is decoded as'],
  },
  'mq redis': {
    'from.format': ['runtime/src/connectors/mq/pubsub/settings.test.ts', 'is what a message is decoded as'],
  },
  mqtt: {
    'from.format': [mqttSettings, 'is what a payload is decoded as'],
    'to.format': mqttPayload,
    'step.format': mqttPayload,
    'action.format': mqttPayload,
  },
  'mq kafka': {
    'from.format': [
      'runtime/src/connectors/mq/log/source.test.ts',
      'a flow gets the value in the format that it names',
    ],
    'to.tombstone': tombstone,
    'step.tombstone': tombstone,
    'to.format': [
      'runtime/src/connectors/mq/log/publish/target.test.ts',
      'is written in the format that the flow names',
    ],
    'step.format': [
      'runtime/src/connectors/mq/log/publish/target.test.ts',
      'is written in the format that the flow names',
    ],
  },
  'http client': {
    'to.query_filter': relational['to.query_filter'] as Proof,
    'to.format': format,
    'to.envelope': spoken,
    'step.format': format,
    'step.envelope': spoken,
    'batch.envelope': spoken,
  },
  'database mongodb': documentWords,
  'database sqlite': relational,
  'database mysql': relational,
  'database postgres': relational,
  search: {
    'operation.action': [namedOperations, 'a named operation becomes what a flow would have written'],
    'operation.index': [namedOperations, 'a named operation becomes what a flow would have written'],
    'operation.body': [searchBodies, 'takes its parameters'],
    'operation.timeout': [
      'runtime/src/connectors/testing/target-conformance.ts',
      'that takes longer than it may ends, frees what it had and leaves the connector usable',
    ],
    'to.query_filter': [searchBodies, 'query_filter takes comparisons that the configuration writes'],
    'to.body': [searchBodies, 'is a word of its own'],
    'to.fields': fieldsOfDocuments,
    'to.script': scripted,
    'to.script_params': scripted,
    'step.fields': fieldsOfDocuments,
    'step.script': scripted,
    'step.script_params': scripted,
    'action.fields': fieldsOfDocuments,
    'action.script': scripted,
    'action.script_params': scripted,
    'enrich.fields': fieldsOfDocuments,
  },
};

/** What every relational database is asked. */
const limited: Readonly<Record<string, Proof>> = {
  tables: ['runtime/src/connectors/database/paging.test.ts', 'S-49: a message names a table of the list and no other'],
  'operation.timeout': [
    'runtime/src/connectors/testing/target-conformance.ts',
    'that takes longer than it may ends, frees what it had and leaves the connector usable',
  ],
};

const postgres = 'runtime/src/connectors/database/postgres/postgres.test.ts';
const addressed: Proof = [postgres, 'host, port, database and user need no url'];
const secured: Proof = [postgres, 'require encrypts, verify-full refuses a certificate of no known authority'];
const shares: Proof = [postgres, 'get their share of the reads, or none where they are not used'];

const settings = 'runtime/src/connectors/database/server/settings.test.ts';
const presented: Proof = [settings, 'a certificate is presented with its key, where one has to be'];

/** What servers are asked in the same way, whatever their engine. */
const served: Readonly<Record<string, Proof>> = {
  password: [settings, 'the right password opens it, another does not'],
  ssl_root_cert: [settings, 'the authority that signed its certificate is trusted, another is not'],
  ssl_cert: presented,
  ssl_key: presented,
  'pool.min': [settings, '%i connections stay open when idle'],
  'pool.max_lifetime': [settings, 'a connection is replaced after max_lifetime, and never when that is 0'],
  'replicas.host': [settings, 'a replica is asked at its host, and the primary where that cannot be reached'],
  'replicas.max_connections': [settings, 'a replica is asked over %i connections at most'],
};

const postgresServer: Readonly<Record<string, Proof>> = {
  ...limited,
  ...served,
  url: [postgres, 'refused, unknown and silent servers are distinguished'],
  host: addressed,
  port: addressed,
  database: addressed,
  user: addressed,
  ssl_mode: secured,
  connect_timeout: [postgres, 'refused, unknown and silent servers are distinguished'],
  statement_timeout: [
    'runtime/src/connectors/database/postgres/pool.test.ts',
    'a write that is late was not done when the server says so, and may have been when it says nothing',
  ],
  use_replicas: shares,
  'pool.max': [
    'runtime/src/connectors/database/postgres/pool.test.ts',
    'a full pool refuses after a wait, and is healthy',
  ],
  'replicas.port': [postgres, 'reads go round them, writes and locking reads to the primary'],
  'replicas.weight': shares,
};

const mysql = 'runtime/src/connectors/database/mysql/mysql.test.ts';
const opens: Proof = [mysql, '%s: it does not open'];
const reached: Proof = [mysql, 'host, port, database and user need no url'];
const spread: Proof = [mysql, 'replicas get their share of the reads, or none where they are not used'];
const late: Proof = [
  mysql,
  'a write that is late was not done when the server says so, and may have been when it says nothing',
];
const pooled: Proof = [mysql, 'a full pool refuses after a wait, and is healthy'];

const mysqlServer: Readonly<Record<string, Proof>> = {
  ...limited,
  ...served,
  charset: [settings, 'with the character set %s an accented letter travels as %s'],
  url: late,
  host: reached,
  port: reached,
  use_replicas: spread,
  'replicas.weight': spread,
  database: opens,
  user: opens,
  ssl_mode: opens,
  connect_timeout: pooled,
  statement_timeout: late,
  'pool.max': pooled,
  'replicas.port': [
    mysql,
    'reads go to replicas, and to the primary when none can be reached; writes go to the primary',
  ],
};

const readers = 'runtime/src/connectors/database/sqlite/readers.test.ts';

const sqliteFile: Readonly<Record<string, Proof>> = {
  ...limited,
  readers: [readers, 'readers = %i are at work at once, and the others wait'],
  statement_timeout: [readers, 'statement_timeout = %i decides whether it answers'],
  'operation.timeout': [readers, 'comes after %s'],
};

/** Blocks of connectors every attribute of which is shown by a test; those of others are searched by their names. */
export const configurations: Readonly<Record<string, Readonly<Record<string, Proof>>>> = {
  ...own,
  'database mysql': mysqlServer,
  'database postgres': postgresServer,
  'database sqlite': sqliteFile,
};
