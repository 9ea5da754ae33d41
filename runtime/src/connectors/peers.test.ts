import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { isRedelivered, type SourceSpec } from '@svc/protocol/schema';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { configured } from '../../../test/support/configured.ts';
import { connectorServices } from '../../../test/support/connector-services.ts';
import { GraphqlServer } from '../../../test/support/graphql-server.ts';
import { type FaultProxy, faultProxy } from '../../../test/support/proxy.ts';
import { KafkaStandIn } from '../../../test/support/servers/kafka/stand-in.ts';
import { sshAccess } from '../../../test/support/servers/sshd.ts';
import { ftpAccess } from '../../../test/support/servers/vsftpd.ts';
import { until } from '../../../test/support/until.ts';
import type { Connector } from '../contracts/connector.ts';
import type { Message } from '../contracts/message.ts';
import type { Outcome } from '../contracts/outcome.ts';
import type { Storage } from '../contracts/storage.ts';
import type { Failure } from '../errors/failure.ts';
import type { EventConnector, SourceBed } from '../intake/testing/conformance.ts';
import { addressOf } from '../net/redis/address.ts';
import { withinTime } from '../net/within-time.ts';
import { RedisSyncStore } from '../sync/redis/store.ts';
import { create as createCache } from './cache/kv/connector.ts';
import { kvCache } from './cache/kv/spec.ts';
import { create as createMongodb } from './database/mongodb/connector.ts';
import { mongodb } from './database/mongodb/spec.ts';
import { testServer as mongodbServer } from './database/mongodb/testing/server.ts';
import { ChangeBed } from './database/mongodb/testing/source-bed.ts';
import { create as createMysql } from './database/mysql/connector.ts';
import { mysql } from './database/mysql/spec.ts';
import { mysqlUrl } from './database/mysql/testing/database.ts';
import { ChangeBed as TableBed } from './database/postgres/changes/testing/bed.ts';
import { hasCluster, startCluster } from './database/postgres/changes/testing/cluster.ts';
import { create as createPostgres } from './database/postgres/connector.ts';
import { postgres } from './database/postgres/spec.ts';
import { describeCall } from './database/testing/parts.ts';
import { ftpUrl, remoteConnector, sshUrl } from './files/ftp/testing/bed.ts';
import { create as createObjectStore } from './files/object-store/connector.ts';
import { objectStoreConnector } from './files/object-store/spec.ts';
import { Bucket, server as objectServer, type TestServer } from './files/object-store/testing/server.ts';
import { EventBed, made as graphqlClient } from './graphql/client/testing/bed.ts';
import { create as createHttp } from './http/connector.ts';
import { http } from './http/spec.ts';
import { run as runHttp } from './http/testing/peer.ts';
import { create as createAmqp } from './mq/amqp/connector.ts';
import { amqp } from './mq/amqp/spec.ts';
import { create as createLog } from './mq/log/connector.ts';
import { partitionedLog } from './mq/log/spec.ts';
import { LogBed } from './mq/log/testing/source-bed.ts';
import { create as createNats } from './mq/nats/connector.ts';
import { nats } from './mq/nats/spec.ts';
import { NatsBed, natsUrl } from './mq/nats/testing/bed.ts';
import { create as createPubsub } from './mq/pubsub/connector.ts';
import { pubsub } from './mq/pubsub/spec.ts';
import { ChannelBed, redisUrl } from './mq/pubsub/testing/bed.ts';
import { queueBed } from './mq/testing/bed.ts';
import { brokerUrl } from './mq/testing/broker.ts';
import { create as createMqtt } from './mqtt/connector.ts';
import { mqtt } from './mqtt/spec.ts';
import { MqttBed, mqttUrl } from './mqtt/testing/bed.ts';
import { makeConnector as makeSearch, run as runSearch } from './search/testing/bed.ts';
import { SearchServer } from './search/testing/server.ts';

/** A connector or store that uses a server. A further one is a line of the table below. */
interface Client {
  readonly name: string;
  /** The server of the tests; undefined skips the line. */
  readonly server: string | undefined;
  readonly port: number;
  /** A client without connections of its own asks nothing when it opens. */
  readonly connects?: 'when asked';
  /** Makes one that reaches its server at this port, with deadlines of about a second and two connections at most. */
  readonly make: (url: URL) => Peer;
}

interface Peer extends Pick<Connector, 'open' | 'close' | 'check'> {
  /** Asks the server for what is given, and resolves with what it answers. */
  readonly echo: (text: string) => Promise<unknown>;
}

/** Answers with the text that it is asked for. */
const echoServer = createServer((request, response) => {
  const text = new URL(request.url ?? '/', 'http://here').searchParams.get('text');
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ text }));
});
await new Promise<void>((resolve) => echoServer.listen(0, '127.0.0.1', resolve));
const graphqlServer = await GraphqlServer.start();
const searchServer = await SearchServer.start();
searchServer.index('texts');
const documents = await mongodbServer();
const objects = objectServer && new Bucket(objectServer, `svc-test-${randomUUID()}`);
await objects?.make();
const log = await KafkaStandIn.start();
const cluster = hasCluster ? await startCluster() : undefined;
afterAll(async () => {
  await log.stop();
  await cluster?.stop();
  await documents.stop();
  await searchServer.close();
  await graphqlServer.close();
  echoServer.closeAllConnections();
  echoServer.close();
});

const clients: readonly Client[] = [
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
      return methods(connector, async (text) => {
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
      return methods(connector, async (text) => {
        const { value } = await echo({ params: { text } });
        return (value as { readonly echo?: unknown }).echo;
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
      return methods(connector, async (text) => (await echo?.({ params: { text } }))?.rows?.[0]?.['text']);
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
      return methods(connector, async (text) => (await echo?.({ params: { text } }))?.rows?.[0]?.['text']);
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
      return methods(connector, async (text) => {
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
      return methods(
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
      return methods(connector, async (text) => {
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
      return methods(connector, async (text) => {
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
      return methods(connector, async (text) => {
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
      return methods(connector, async (text) => {
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
      return methods(connector, async (text) => (await execute?.({ payload: { text } }))?.rows?.[0]?.['text']);
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
      return methods(connector, async (text) => {
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
      return methods(connector, async (text) => {
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
      return methods(store, async (text) => {
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
  return methods(connector, async (text) => {
    const { value } = await exists({ params: { path: text } });
    return (value as { readonly path: string }).path;
  });
}

/** A connector that takes messages from a server. A further one is a line of the table. */
interface Consumer {
  readonly name: string;
  /** Undefined where the tests have no server. */
  readonly bed: (() => Promise<SourceBed & { readonly proxy: FaultProxy }>) | undefined;
}

const consumers: readonly Consumer[] = [
  { name: 'graphql/client', bed: () => EventBed.make({ isBound: true }) },
  { name: 'mqtt', bed: mqttUrl === undefined ? undefined : () => MqttBed.make() },
  { name: 'database/mongodb', bed: () => ChangeBed.make() },
  { name: 'database/postgres/changes', bed: cluster && (() => TableBed.make(cluster)) },
  { name: 'mq/log', bed: () => LogBed.make() },
  { name: 'mq/amqp', bed: brokerUrl === undefined ? undefined : queueBed },
  { name: 'mq/nats of a stream', bed: natsUrl === undefined ? undefined : () => NatsBed.ofStream() },
  { name: 'mq/nats of subjects', bed: natsUrl === undefined ? undefined : () => NatsBed.ofSubjects() },
  { name: 'mq/pubsub', bed: redisUrl === undefined ? undefined : () => ChannelBed.make() },
];

function methods(client: Pick<Connector, 'open' | 'close' | 'check'>, echo: Peer['echo']): Peer {
  return {
    open: (signal) => client.open(signal),
    close: () => client.close(),
    check: async (signal) => client.check?.(signal),
    echo,
  };
}

const never = new AbortController().signal;
/** What tells a caller that the peer is at fault, and that trying again may help. */
const typed = ['connector_timeout', 'connector_busy', 'connector_refused', 'store_unavailable', 'outcome_unknown'];

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function failureOf(work: Promise<unknown>): Promise<Failure> {
  return work.then(
    (value) => expect.fail(`it did not fail, and answered ${String(value)}`),
    (error: Failure) => error,
  );
}

describe.each(consumers)('$name', ({ bed: makeBed }) => {
  describe.skipIf(makeBed === undefined)('A-04: a peer of what takes messages', () => {
    async function made() {
      const bed = await (makeBed as NonNullable<typeof makeBed>)();
      cleanups.push(() => bed.close());
      const connector = bed.connector({ workers: 1 });
      cleanups.push(() => connector.close());
      return { bed, connector, proxy: bed.proxy };
    }

    async function consuming() {
      const parts = await made();
      const { bed, connector } = parts;
      const taken = new Set<unknown>();
      const deliver = ({ input }: Message): Outcome => {
        taken.add(bed.textOf(input));
        return { kind: 'reply', value: null };
      };
      const flows = connector.source.bind([{ ...bed.binding, deliver }]);
      await flows.prepare();
      await connector.open(never);
      flows.use();
      await connector.source.start();
      // What its server does not keep is sent until it is heard, and may be lost.
      const isKept = isRedelivered(bed.spec.source as SourceSpec, bed.config);
      const takes = async (...bodies: string[]) => {
        await bed.publish(bodies);
        await until(async () => {
          const missing = bodies.filter((body) => !taken.has(body));
          if (!isKept) await bed.publish(missing);
          return missing.length === 0;
        });
      };
      await takes('first');
      return { ...parts, takes, taken, isKept };
    }

    const recovers = async (connector: EventConnector, takes: (...bodies: string[]) => Promise<void>) => {
      await takes('after 1', 'after 2');
      await until(async () => {
        await connector.check?.(AbortSignal.timeout(1_000));
        return true;
      });
    };

    test.each(['blackhole', 'refuse'] as const)(
      'that is a %s at the start is reported, and can be closed',
      async (fault) => {
        const { connector, proxy } = await made();
        proxy.fault = fault;
        const failure = await failureOf(withinTime(2_000, (signal) => connector.open(signal)));
        expect(typed).toContain(failure.code);
        await connector.close();
      },
    );

    test('that goes silent is noticed by the check of health, and recovered from; nothing is lost', async () => {
      const { bed, connector, proxy, takes, taken, isKept } = await consuming();
      proxy.fault = 'blackhole';
      await bed.publish(['meanwhile']);
      expect(typed).toContain((await failureOf(Promise.resolve(connector.check?.(AbortSignal.timeout(1_000))))).code);
      proxy.fault = 'pass';
      await recovers(connector, takes);
      // Some brokers give it again only when the time to acknowledge it is over.
      if (isKept) await until(() => taken.has('meanwhile'));
    });

    test('that goes silent does not keep it from closing when its time is over', async () => {
      const { connector, proxy } = await consuming();
      proxy.fault = 'blackhole';
      const cut = new AbortController();
      const closing = connector.close(cut.signal);
      cut.abort();
      await closing;
      await until(() => proxy.connections === 0);
    });

    test('R-66: that is slow has every acknowledgement when the connector is closed: nothing comes again', async ({
      skip,
    }) => {
      const { bed, connector, proxy, takes, isKept } = await consuming();
      skip(!isKept, 'nothing is acknowledged');
      // Longer than a connection that was lost is waited for.
      proxy.latency = 1_100;
      const sent = Array.from({ length: 10 }, (_, at) => `slow ${at}`);
      await takes(...sent);
      await connector.close(never);
      proxy.latency = 0;
      const again = bed.connector({ workers: 1 });
      cleanups.push(() => again.close());
      const later: unknown[] = [];
      const deliver = ({ input }: Message): Outcome => {
        later.push(bed.textOf(input));
        return { kind: 'reply', value: null };
      };
      const flows = again.source.bind([{ ...bed.binding, deliver }]);
      await flows.prepare();
      await again.open(never);
      flows.use();
      await again.source.start();
      await bed.publish(['last']);
      await until(() => later.includes('last') && again.source.events.unsettled === 0);
      expect(later).toEqual(['last']);
    });

    test.each(['drip', 'cut'] as const)('that is a %s is recovered from; nothing is lost', async (fault) => {
      const { bed, connector, proxy, takes, taken, isKept } = await consuming();
      proxy.fault = fault;
      await bed.publish(['during 1', 'during 2']);
      await connector.check?.(AbortSignal.timeout(1_000)).catch(() => undefined);
      proxy.fault = 'pass';
      await recovers(connector, takes);
      if (isKept) await until(() => taken.has('during 1') && taken.has('during 2'));
    });

    test('that is reset while nothing comes is recovered from', async () => {
      const { connector, proxy, takes } = await consuming();
      proxy.reset();
      await recovers(connector, takes);
    });
  });
});

describe.each(clients)('$name', ({ server, port, make, connects }) => {
  describe.skipIf(server === undefined)('A-04: a peer', () => {
    async function proxied(): Promise<{ readonly proxy: FaultProxy; readonly peer: Peer }> {
      const url = new URL(server as string);
      const proxy = await faultProxy({ host: url.hostname, port: Number(url.port || port) });
      cleanups.push(() => proxy.close());
      url.hostname = '127.0.0.1';
      url.port = String(proxy.port);
      const peer = make(url);
      cleanups.push(() => peer.close());
      return { proxy, peer };
    }

    async function opened() {
      const both = await proxied();
      await both.peer.open(never);
      expect(await both.peer.echo('first')).toBe('first');
      return both;
    }

    /** More than there are connections, so that each of them is hit. */
    const many = (peer: Peer) => Array.from({ length: 5 }, (_, at) => peer.echo(`asked ${at}`));

    const recovers = async ({ echo, check }: Peer) => {
      await until(async () => (await echo('after')) === 'after');
      // Answers belong to their questions: nothing of the time before is taken for an answer.
      const wrong: unknown[] = [];
      const texts = Array.from({ length: 20 }, (_, at) => `after ${at}`);
      await until(async () => {
        const answers = await Promise.allSettled(texts.map(echo));
        for (const [at, answer] of answers.entries()) {
          if (answer.status === 'fulfilled' && answer.value !== texts[at]) wrong.push([texts[at], answer.value]);
        }
        return answers.every(({ status }) => status === 'fulfilled');
      });
      expect(wrong).toEqual([]);
      await until(async () => check?.(never).then(() => true));
    };

    test.each(['blackhole', 'refuse'] as const)(
      'that is a %s at the start is reported, and can be closed',
      async (fault) => {
        const { proxy, peer } = await proxied();
        proxy.fault = fault;
        if (connects === 'when asked') await peer.open(never);
        const asked = connects === 'when asked' ? peer.echo('first') : peer.open(never);
        expect(typed).toContain((await failureOf(asked)).code);
        await peer.close();
      },
    );

    test('that goes silent is noticed, by its questions and the check of health, and recovered from', async () => {
      const { proxy, peer } = await opened();
      proxy.fault = 'blackhole';
      for (const failure of await Promise.all(many(peer).map(failureOf)))
        expect([failure.code, failure.retriable]).toEqual([expect.toBeOneOf(typed), true]);
      expect(typed).toContain((await failureOf(Promise.resolve(peer.check?.(never)))).code);
      proxy.fault = 'pass';
      await recovers(peer);
    });

    test('that goes silent does not keep it from closing', async () => {
      const { proxy, peer } = await opened();
      proxy.fault = 'blackhole';
      const asked = Promise.all(many(peer).map(failureOf));
      await peer.close();
      await asked;
      await until(() => proxy.connections === 0);
    });

    test('that is slow is waited for until the deadline, and recovered from', async () => {
      const { proxy, peer } = await opened();
      proxy.fault = 'drip';
      for (const answer of await Promise.allSettled(many(peer))) {
        if (answer.status === 'fulfilled') expect(answer.value).toMatch(/^asked \d$/);
        else expect(typed).toContain(answer.reason.code);
      }
      proxy.fault = 'pass';
      await recovers(peer);
    });

    test('that is cut in the middle of what is sent is reported, and recovered from', async () => {
      const { proxy, peer } = await opened();
      proxy.fault = 'cut';
      for (const failure of await Promise.all(many(peer).map(failureOf)))
        expect([failure.code, failure.retriable]).toEqual([expect.toBeOneOf(typed), true]);
      proxy.fault = 'pass';
      await recovers(peer);
    });

    test('that is reset while nothing is asked is recovered from', async () => {
      const { proxy, peer } = await opened();
      proxy.reset();
      await recovers(peer);
    });
  });
});
