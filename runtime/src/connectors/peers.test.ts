import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { afterAll } from 'vitest';
import { configured } from '../../../test/support/configured.ts';
import { connectorServices } from '../../../test/support/connector-services.ts';
import { GraphqlServer } from '../../../test/support/graphql-server.ts';
import { KafkaStandIn } from '../../../test/support/servers/kafka/stand-in.ts';
import { sshAccess } from '../../../test/support/servers/sshd.ts';
import { ftpAccess } from '../../../test/support/servers/vsftpd.ts';
import type { Storage } from '../foundation/contracts/storage.ts';
import { addressOf } from '../platform/net/redis/address.ts';
import { RedisSyncStore } from '../platform/sync/redis/store.ts';
import { create as createCache } from './cache/kv/connector.ts';
import { kvCache } from './cache/kv/spec.ts';
import { create as createMongodb } from './database/mongodb/connector.ts';
import { mongodb } from './database/mongodb/spec.ts';
import { testServer as mongodbServer } from './database/mongodb/testing/server.ts';
import { create as createMysql } from './database/mysql/connector.ts';
import { mysql } from './database/mysql/spec.ts';
import { mysqlUrl } from './database/mysql/testing/database.ts';
import { create as createPostgres } from './database/postgres/connector.ts';
import { postgres } from './database/postgres/spec.ts';
import { describeCall } from './database/testing/parts.ts';
import { makeSsh, sshBlock } from './exec/testing/ssh-bed.ts';
import { ftpUrl, remoteConnector, sshUrl } from './files/ftp/testing/bed.ts';
import { create as createObjectStore } from './files/object-store/connector.ts';
import { objectStoreConnector } from './files/object-store/spec.ts';
import { Bucket, server as objectServer, type TestServer } from './files/object-store/testing/server.ts';
import { made as graphqlClient } from './graphql/client/testing/bed.ts';
import { EchoService as GrpcEchoService } from './grpc/testing/echo-service.ts';
import { echoFolder, made as grpcClient } from './grpc/testing/target-bed.ts';
import { create as createHttp } from './http/connector.ts';
import { http } from './http/spec.ts';
import { run as runHttp } from './http/testing/peer.ts';
import { create as createAmqp } from './mq/amqp/connector.ts';
import { amqp } from './mq/amqp/spec.ts';
import { create as createLog } from './mq/log/connector.ts';
import { partitionedLog } from './mq/log/spec.ts';
import { create as createNats } from './mq/nats/connector.ts';
import { nats } from './mq/nats/spec.ts';
import { natsUrl } from './mq/nats/testing/bed.ts';
import { create as createPubsub } from './mq/pubsub/connector.ts';
import { pubsub } from './mq/pubsub/spec.ts';
import { redisUrl } from './mq/pubsub/testing/bed.ts';
import { brokerUrl } from './mq/testing/broker.ts';
import { create as createMqtt } from './mqtt/connector.ts';
import { mqtt } from './mqtt/spec.ts';
import { mqttUrl } from './mqtt/testing/bed.ts';
import { makeConnector as makeSearch, run as runSearch } from './search/testing/bed.ts';
import { SearchServer } from './search/testing/server.ts';
import { made as soapClient } from './soap/testing/bed.ts';
import { EchoService } from './soap/testing/echo-service.ts';
import { clientPeerConformance, type Peer, type PeerClient, peerOf } from './testing/peers/client-conformance.ts';

/** Answers with the text that it is asked for. */
const echoServer = createServer((request, response) => {
  const text = new URL(request.url ?? '/', 'http://here').searchParams.get('text');
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ text }));
});
await new Promise<void>((resolve) => echoServer.listen(0, '127.0.0.1', resolve));
const graphqlServer = await GraphqlServer.start();
const soapService = await EchoService.start();
const grpcService = await GrpcEchoService.start();
const grpcFolder = echoFolder();
const searchServer = await SearchServer.start();
searchServer.index('texts');
const documents = await mongodbServer();
const objects = objectServer && new Bucket(objectServer, `svc-test-${randomUUID()}`);
await objects?.make();
const log = await KafkaStandIn.start();
afterAll(async () => {
  await log.stop();
  await documents.stop();
  await searchServer.close();
  await graphqlServer.close();
  await soapService.close();
  grpcService.close();
  rmSync(grpcFolder, { recursive: true, force: true });
  echoServer.closeAllConnections();
  echoServer.close();
});

/** A further client is a line of the table. */
const clients: readonly PeerClient[] = [
  {
    name: 'http',
    server: `http://127.0.0.1:${(echoServer.address() as AddressInfo).port}`,
    port: 80,
    connects: 'when asked',
    make: (url) => {
      const connector = createHttp(
        'api',
        configured(http.config, { base_url: url.href, timeout: 1000 }),
        connectorServices(),
      );
      return peerOf(connector, async (text) => {
        const { value } = (await runHttp(connector, { operation: 'GET /echo' }, { params: { text } })) ?? {};
        return (value as { readonly text?: unknown }).text;
      });
    },
  },
  {
    name: 'graphql/client',
    server: graphqlServer.url,
    port: 80,
    connects: 'when asked',
    make: (url) => {
      const connector = graphqlClient({ endpoint: url.href, timeout: 1000 });
      const operation = 'query($text: String) { echo(text: $text) }';
      const echo = connector.target.prepare(describeCall('call', { operation }));
      return peerOf(connector, async (text) => {
        const { value } = await echo({ params: { text } });
        return (value as { readonly echo?: unknown }).echo;
      });
    },
  },
  {
    name: 'soap/client',
    server: `http://127.0.0.1:${soapService.port}`,
    port: 80,
    connects: 'when asked',
    make: (url) => {
      const connector = soapClient({ endpoint: url.href, timeout: 1000 });
      const echo = connector.target.prepare(describeCall('call', { operation: 'Echo' }));
      return peerOf(connector, async (text) => {
        const { value } = await echo({ params: { text } });
        return (value as { readonly text?: unknown }).text;
      });
    },
  },
  {
    name: 'grpc/client',
    server: `http://127.0.0.1:${grpcService.port}`,
    port: 80,
    make: ({ hostname, port }) => {
      const connector = grpcClient({ target: `${hostname}:${port}`, timeout: 1000, connect_timeout: 1000 }, grpcFolder);
      const echo = connector.target.prepare(describeCall('call', { operation: 'Texts/Echo' }));
      return peerOf(connector, async (text) => {
        const { value } = await echo({ params: { text } });
        return (value as { readonly text?: unknown }).text;
      });
    },
  },
  {
    name: 'database/postgres',
    server: process.env['TEST_POSTGRES_URL'],
    port: 5432,
    make: (url) => {
      const written = { url: url.href, statement_timeout: 1000, connect_timeout: 1000, pool: { max: 2, min: 2 } };
      const connector = createPostgres('db', configured(postgres.config, written), connectorServices());
      const echo = connector.target?.prepare(describeCall('read', { query: 'SELECT :text::text AS text' }));
      return peerOf(connector, async (text) => (await echo?.({ params: { text } }))?.rows?.[0]?.['text']);
    },
  },
  {
    name: 'database/mysql',
    server: mysqlUrl,
    port: 3306,
    make: (url) => {
      const written = { url: url.href, statement_timeout: 1000, connect_timeout: 1000, pool: { max: 2, min: 2 } };
      const connector = createMysql('db', configured(mysql.config, written), connectorServices());
      const echo = connector.target?.prepare(describeCall('read', { query: 'SELECT :text AS text' }));
      return peerOf(connector, async (text) => (await echo?.({ params: { text } }))?.rows?.[0]?.['text']);
    },
  },
  {
    name: 'database/mongodb',
    server: `mongodb://${documents.credentials}${documents.host}:${documents.port}`,
    port: 27_017,
    make: (url) => {
      const written = {
        uri: url.href,
        database: documents.name,
        direct: true,
        statement_timeout: 1000,
        pool: { max: 2, min: 0, connect_timeout: 1000 },
      };
      const connector = createMongodb('db', configured(mongodb.config, written), connectorServices());
      const write = connector.target?.prepare(describeCall('create', { target: 'echo', operation: 'INSERT' }));
      return peerOf(connector, async (text) => {
        const suffix = ` ${randomUUID()}`;
        return String((await write?.({ payload: { _id: text + suffix } }))?.id).replace(suffix, '');
      });
    },
  },
  {
    name: 'search',
    server: searchServer.url,
    port: 9200,
    make: (url) => {
      const connector = makeSearch({ url: url.origin, index: 'texts', timeout: 1000 });
      return peerOf(
        connector,
        async (text) => (await runSearch(connector, { verb: 'create' }, { payload: { id: text } })).id,
      );
    },
  },
  {
    name: 'files/object-store',
    server: objectServer?.url.href,
    port: 80,
    connects: 'when asked',
    make: (url) => {
      const { access: access_key, secret: secret_key } = objectServer as TestServer;
      const written = { bucket: objects?.name, endpoint: url.origin, access_key, secret_key, region: 'us-east-1' };
      const connector = createObjectStore(
        'objects',
        configured(objectStoreConnector.config, { ...written, request_timeout: 1000, retry: { attempts: 1 } }),
        connectorServices(),
      );
      const write = connector.target?.prepare(describeCall('create', { operation: 'write' }));
      return peerOf(connector, async (text) => {
        const { value } = (await write?.({ params: { key: text, content: text } })) ?? {};
        return (value as { readonly key?: unknown }).key;
      });
    },
  },
  {
    name: 'mq/amqp, what is sent',
    server: brokerUrl,
    port: 5672,
    make: (url) => {
      const publisher = { timeout: 1000, exchange: 'amq.fanout' };
      const written = { url: url.href, reconnect_delay: 100, max_reconnects: 1000, publisher };
      const connector = createAmqp('orders', configured(amqp.config, written), connectorServices());
      const publish = connector.target?.prepare(describeCall('create', {}));
      return peerOf(connector, async (text) => {
        const { value } = (await publish?.({ payload: {}, params: { message_id: text } })) ?? {};
        return (value as { readonly message_id?: unknown }).message_id;
      });
    },
  },
  {
    name: 'cache/redis',
    server: process.env['TEST_REDIS_URL'],
    port: 6379,
    make: (url) => {
      const written = { url: url.href, timeout: 1000, pool: { connect_timeout: 1000 }, prefix: randomUUID() };
      const connector = createCache('c', configured(kvCache.config, written), connectorServices());
      const storage = connector.storage as Storage;
      return peerOf(connector, async (text) => {
        await storage.set(text, text, 60_000);
        return storage.get(text);
      });
    },
  },
  {
    name: 'mq/pubsub',
    server: redisUrl,
    port: 6379,
    make: (url) => {
      const written = { url: url.href, timeout: 1000, connect_timeout: 1000 };
      const connector = createPubsub('bus', configured(pubsub.config, written), connectorServices());
      const publish = connector.target?.prepare(describeCall('create', { operation: 'PUBLISH' }));
      return peerOf(connector, async (text) => {
        const { value } = (await publish?.({ target: `svc-test:${text}`, payload: { text } })) ?? {};
        return (value as { readonly channel: string }).channel.replace('svc-test:', '');
      });
    },
  },
  {
    name: 'mq/log',
    server: `kafka://127.0.0.1:${log.port()}`,
    port: 9092,
    make: (url) => {
      // The brokers say where they are: behind the proxy, for this client.
      const clientId = `peer-${url.port}`;
      log.advertisedPort = (_, client) => (client.startsWith('peer-') ? Number(client.slice(5)) : undefined);
      const producer = { topic: 'echo', timeout: 1_000, linger_ms: 0, retries: 0 };
      const written = { brokers: [url.host], client_id: clientId, producer };
      const connector = createLog('log', configured(partitionedLog.config, written), connectorServices());
      const execute = connector.target?.prepare(describeCall('create', { operation: 'PUBLISH' }));
      return peerOf(connector, async (text) => (await execute?.({ payload: { text } }))?.rows?.[0]?.['text']);
    },
  },
  {
    name: 'mqtt',
    server: mqttUrl,
    port: 1883,
    make: (url) => {
      const written = { broker: `tcp://${url.host}`, qos: 1, publish_timeout: 1000, connect_timeout: 1000 };
      const connector = createMqtt('plant', configured(mqtt.config, written), connectorServices());
      const topic = `svc-test-${randomUUID()}/`;
      const publish = connector.target?.prepare(describeCall('create', {}));
      return peerOf(connector, async (text) => {
        const answer = await publish?.({ target: topic + encodeURIComponent(text), payload: { text } });
        const { topic: sent } = (answer?.value ?? {}) as { readonly topic?: string };
        return sent && decodeURIComponent(sent.slice(topic.length));
      });
    },
  },
  {
    name: 'mq/nats',
    server: natsUrl,
    port: 4222,
    make: (url) => {
      const written = { url: url.href, timeout: 1000, connect_timeout: 1000, reconnect_delay: 50 };
      const connector = createNats(
        'bus',
        configured(nats.config, { ...written, max_reconnects: 1000 }),
        connectorServices(),
      );
      const publish = connector.target?.prepare(describeCall('create', { operation: 'PUBLISH' }));
      return peerOf(connector, async (text) => {
        const target = `svc-test.${text.replaceAll(' ', '-')}`;
        const { value } = (await publish?.({ target, payload: { text } })) ?? {};
        return (value as { readonly subject: string }).subject.slice('svc-test.'.length).replaceAll('-', ' ');
      });
    },
  },
  {
    name: 'files/ftp over ftp',
    server: ftpUrl,
    port: 21,
    make: (url) => {
      const { username, password } = ftpAccess(url.href);
      return echoFiles({ ...reached(url), username, password, base_path: '/files' });
    },
  },
  {
    name: 'files/ftp over sftp',
    server: sshUrl,
    port: 22,
    make: (url) => {
      const { username, keyFile } = sshAccess(url.href);
      return echoFiles({ ...reached(url), protocol: 'sftp', username, key_file: keyFile, base_path: tmpdir() });
    },
  },
  {
    name: 'exec over ssh',
    server: sshUrl,
    port: 22,
    sideBySide: 5,
    make: (url) => {
      // Each call makes a connection and starts a program, which takes long where others use the machine.
      const written = { command: 'cat', output_format: 'text', timeout: 5000, ssh: sshBlock(Number(url.port)) };
      const connector = makeSsh(written);
      const echo = connector.target.prepare({
        ...describeCall('call', {}),
        written: { stdin: { kind: 'constant', value: '', origin: { file: 'test.hcl', range: { start: 0, end: 0 } } } },
      });
      return peerOf(connector, async (text) => {
        const { value } = await echo({ words: { stdin: text } });
        return (value as { readonly output: string }).output;
      });
    },
  },
  {
    name: 'sync over redis',
    server: process.env['TEST_REDIS_URL'],
    port: 6379,
    make: (url) => {
      const store = new RedisSyncStore(
        'sync',
        addressOf({ url: url.href, host: '', port: 0 }),
        connectorServices().log,
      );
      const sequences = new Map<string, bigint>();
      return peerOf(store, async (text) => {
        const number = BigInt(sequences.size + 1);
        sequences.set(text, number);
        const key = `${text}:${randomUUID()}`;
        await store.raiseSequence(key, number, 60_000);
        return (await store.sequence(key)) === number ? text : undefined;
      });
    },
  },
];

function reached({ hostname: host, port }: URL) {
  return { host, port: Number(port), timeout: 1000, max_connections: 2 };
}

/** Asks for a file whose name is the text, and is given its description. */
function echoFiles(written: Readonly<Record<string, unknown>>): Peer {
  const connector = remoteConnector(written, connectorServices());
  const exists = connector.target.prepare({ ...describeCall('call', { operation: 'exists' }), timeout: 1000 });
  return peerOf(connector, async (text) => {
    const { value } = await exists({ params: { path: text } });
    return (value as { readonly path: string }).path;
  });
}

clientPeerConformance(clients);
