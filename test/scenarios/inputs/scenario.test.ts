import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { connect as connectNats } from '@nats-io/transport-node';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasCluster, startCluster } from '../../../runtime/src/connectors/database/postgres/changes/testing/cluster.ts';
import { TestBrokers } from '../../../runtime/src/connectors/mq/log/testing/broker.ts';
import { brokerUrl, TestQueue } from '../../../runtime/src/connectors/mq/testing/broker.ts';
import { brokerClient, mqttUrl } from '../../../runtime/src/connectors/mqtt/testing/bed.ts';
import { freePort } from '../../support/free-port.ts';
import { until } from '../../support/until.ts';
import { type Scenario, startScenario } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';
import { protobufForm, soapForm } from './written-forms.ts';

const natsUrl = process.env['TEST_NATS_URL'];
const redisUrl = process.env['TEST_REDIS_URL'];
const hasAll = hasCluster && [brokerUrl, mqttUrl, natsUrl, redisUrl].every((url) => url !== undefined);

/** What no flow may see as it is, and the text that is sent behind all of them. */
const hostile: Readonly<Record<string, Buffer>> = {
  'a text with NUL': Buffer.from('{"text":"a\\u0000b"}'),
  'a control character': Buffer.from('{"text":"a\\u0007b"}'),
  'broken UTF-8': Buffer.from([...Buffer.from('{"text":"'), 0xff, 0xfe, ...Buffer.from('"}')]),
  'half a character': Buffer.from('{"text":"\\ud800"}'),
  'too many levels': Buffer.from(`{"text":${'['.repeat(60)}${']'.repeat(60)}}`),
  'levels without end': Buffer.from('['.repeat(50_000)),
  'too long a text': Buffer.from(JSON.stringify({ text: 'x'.repeat(70_000) })),
  'a field with NUL in its name': Buffer.from('{"text":"named","a\\u0000":1}'),
};
const turned = Buffer.from('{"text":"a\\u202eb\\u2066c"}');
const last = Buffer.from('{"text":"last"}');

describe.skipIf(!hasAll)('S-100: what comes in is checked', () => {
  const name = `svc-inputs-${randomBytes(6).toString('hex')}`;
  const cleanups: (() => unknown)[] = [];
  let sink: Upstream;
  let service: Scenario;
  /** Sends bytes to a source. */
  const senders: Record<string, (bytes: Buffer) => Promise<unknown>> = {};

  beforeAll(async () => {
    sink = await startUpstream();
    const brokers = await TestBrokers.start({});
    await brokers.create(name);
    const queue = await TestQueue.named();
    const nats = await connectNats({ servers: natsUrl as string });
    const redis = new Redis(redisUrl as string);
    const mqtt = await brokerClient();
    const cluster = await startCluster();
    const database = await cluster.database();
    await database.rows('CREATE TABLE inputs (id bigserial PRIMARY KEY, sent json)');
    cleanups.push(
      () => cluster.stop(),
      () => database.drop(),
      () => sink.close(),
      () => brokers.stop(),
      () => queue.end(),
      () => nats.close(),
      () => redis.disconnect(),
      () => mqtt.endAsync(),
    );
    const [tcpPort, soapPort, grpcPort] = await Promise.all([freePort(), freePort(), freePort()]);
    service = await startScenario(import.meta.dirname, {
      env: {
        TCP_PORT: String(tcpPort),
        SOAP_PORT: String(soapPort),
        GRPC_PORT: String(grpcPort),
        BROKERS: brokers.addresses[0] as string,
        BROKER_URL: brokerUrl as string,
        NATS_URL: natsUrl as string,
        REDIS_URL: redisUrl as string,
        MQTT_URL: mqttUrl as string,
        SINK_URL: sink.address,
        NAME: name,
        QUEUE: queue.name,
        DATABASE_URL: database.url,
        SLOT: database.slot,
      },
    });
    cleanups.push(() => service.end());
    senders['kafka'] = (value) => brokers.send(name, [{ value }]);
    senders['rabbitmq'] = (bytes) => queue.publish([bytes]);
    senders['nats'] = async (bytes) => {
      nats.publish(name, bytes);
      await nats.flush();
    };
    senders['redis'] = (bytes) => redis.publish(name, bytes);
    senders['mqtt'] = (bytes) => mqtt.publishAsync(name, bytes, { qos: 1 });
    // Each is a client of its own: one that sends no text is disconnected.
    senders['websocket'] = async (bytes) => {
      const socket = new WebSocket(`${service.address.replace('http', 'ws')}/ws`);
      await new Promise((resolve) => socket.addEventListener('open', resolve));
      const before = texts('websocket').length;
      let isAnswered = false;
      for (const kind of ['message', 'close', 'error'] as const)
        socket.addEventListener(kind, () => (isAnswered = true));
      const frame = Buffer.concat([Buffer.from('{"type":"message","data":'), bytes, Buffer.from('}')]);
      socket.send(isUtf8(bytes) ? frame.toString() : frame);
      await until(() => isAnswered || texts('websocket').length > before);
      socket.close();
    };
    // The database itself takes no text that is not UTF-8, and no half characters.
    senders['changes'] = (bytes) =>
      database
        .rows('INSERT INTO inputs (sent) VALUES (convert_from($1, $2)::json)', [bytes, 'UTF8'])
        .catch(() => undefined);
    senders['rest'] = (body) =>
      fetch(`${service.address}/inputs`, {
        method: 'POST',
        body: new Uint8Array(body),
        headers: { 'content-type': 'application/json' },
      });
    // What is not a message ends its connection.
    senders['tcp'] = async (bytes) => {
      const body = Buffer.concat([Buffer.from('{"type":"inputs","id":"1","data":'), bytes, Buffer.from('}')]);
      const head = Buffer.alloc(4);
      head.writeUInt32BE(body.length);
      const socket = connect(tcpPort, '127.0.0.1');
      socket.write(Buffer.concat([head, body]));
      await Promise.race([once(socket, 'data'), once(socket, 'close')]);
      socket.destroy();
    };
    senders['soap'] = (bytes) =>
      fetch(`http://127.0.0.1:${soapPort}/`, {
        method: 'POST',
        body: new Uint8Array(soapForm(bytes, 'Inputs')),
        headers: { 'content-type': 'text/xml' },
      });
    const grpc = connectHttp2(`http://127.0.0.1:${grpcPort}`);
    cleanups.push(() => grpc.destroy());
    senders['grpc'] = async (bytes) => {
      const message = protobufForm(bytes);
      const head = Buffer.alloc(5);
      head.writeUInt32BE(message.length, 1);
      const call = grpc.request({
        ':method': 'POST',
        ':path': '/inputs.Inputs/Take',
        'content-type': 'application/grpc',
        te: 'trailers',
      });
      call.on('error', () => undefined);
      call.resume().end(Buffer.concat([head, message]));
      await once(call, 'close');
    };
  });

  afterAll(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
  });

  const texts = (source: string) =>
    sink.received
      .filter(({ url }) => url === `/${source}`)
      .map(({ body }) => (JSON.parse(body) as { text: unknown }).text);

  test.each(['rest', 'kafka', 'rabbitmq', 'nats', 'redis', 'mqtt', 'websocket', 'changes', 'tcp', 'soap', 'grpc'])(
    'of %s',
    async (source) => {
      const send = senders[source] as NonNullable<(typeof senders)[string]>;
      for (const bytes of Object.values(hostile)) await send(bytes);
      await send(turned);
      await send(last);
      await until(() => texts(source).includes('last'));
      expect(texts(source)).toEqual(['abc', 'last']);
    },
  );
});
