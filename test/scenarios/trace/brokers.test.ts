import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect as connectNats } from '@nats-io/transport-node';
import { connect as connectAmqp } from 'amqplib';
import { afterEach, describe, expect, test } from 'vitest';
import { brokerUrl } from '../../../runtime/src/connectors/mq/testing/broker.ts';
import { brokerClient, mqttUrl } from '../../../runtime/src/connectors/mqtt/testing/bed.ts';
import { KafkaStandIn } from '../../support/servers/kafka/stand-in.ts';
import { runCommand } from '../../support/service.ts';

const natsUrl = process.env['TEST_NATS_URL'];
const redisUrl = process.env['TEST_REDIS_URL'];
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

const name = () => `svc-dry-${randomBytes(6).toString('hex')}`;

/** A service whose flow `send` takes a message of a connector and sends it on through the same one. */
function serviceWith(connector: string, to: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'svc-dry-run-'));
  cleanups.push(() => rmSync(directory, { recursive: true }));
  const flow = `flow "send" {\n  from {\n    connector = "events"\n  }\n  transform {\n    n = "1"\n  }\n  to {\n    connector = "events"\n    ${to}\n  }\n}\n`;
  writeFileSync(join(directory, 'service.hcl'), `connector "events" {\n${connector}\n}\n${flow}`);
  return directory;
}

async function traced(directory: string, ...words: readonly string[]) {
  const { code, stdout, stderr } = await runCommand(
    ['trace', 'send', '--input', '{"body": {}}', ...words, '-c', directory],
    {},
  );
  return { code, stderr, reported: stdout.includes('[dry-run] events: ') };
}

const done = { code: 0, stderr: '', reported: true };

describe.skipIf(brokerUrl === undefined)('a dry run through RabbitMQ', () => {
  test.each(['mq "rabbitmq"', 'profiles'])('declares no exchange and no queue: %s', async (form) => {
    const [exchange, queue] = [name(), name()];
    const body = `type = "mq"
  driver = "rabbitmq"
  url = "${brokerUrl}"
  exchange {
    name = "${exchange}"
    create_if_missing = true
  }
  publisher {
    exchange = "${exchange}"
  }`;
    const consumer = `consumer {\n    queue = "${queue}"\n    create_if_missing = true\n    dlq {}\n  }`;
    const directory =
      form === 'profiles'
        ? serviceWith(`default = "one"\n  profile "one" {\n  ${body}\n  }`, 'target = "k"')
        : serviceWith(`${body}\n  ${consumer}`, 'target = "k"');
    if (form === 'profiles') {
      const text = 'connector "api" {\n  type = "rest"\n  port = 0\n}\n';
      writeFileSync(join(directory, 'api.hcl'), text);
      const { readFileSync } = await import('node:fs');
      const written = readFileSync(join(directory, 'service.hcl'), 'utf8');
      writeFileSync(
        join(directory, 'service.hcl'),
        written.replace('from {\n    connector = "events"', 'from {\n    connector = "api"\n    operation = "POST /x"'),
      );
    }
    expect(await traced(directory, '--dry-run')).toEqual(done);
    const connection = await connectAmqp(brokerUrl as string);
    connection.on('error', () => undefined);
    cleanups.push(() => connection.close());
    const isMissing = async (
      check: (channel: Awaited<ReturnType<typeof connection.createChannel>>) => Promise<unknown>,
    ) => {
      const channel = await connection.createChannel();
      channel.on('error', () => undefined);
      return check(channel).then(
        () => false,
        (error: Error) => /NOT_FOUND/.test(error.message),
      );
    };
    expect(await isMissing((channel) => channel.checkExchange(exchange))).toBe(true);
    for (const each of [queue, `${queue}.dlq`])
      expect(await isMissing((channel) => channel.checkQueue(each))).toBe(true);
    expect(await isMissing((channel) => channel.checkExchange(`${queue}.dlx`))).toBe(true);
  });

  test('declares no queue in a trace that is carried out either: it takes nothing', async () => {
    const queue = name();
    const consumer = `consumer {\n    queue = "${queue}"\n    create_if_missing = true\n  }`;
    const directory = serviceWith(
      `type = "mq"\n  driver = "rabbitmq"\n  url = "${brokerUrl}"\n  ${consumer}\n  publisher {\n    exchange = ""\n    mandatory = false\n  }`,
      `target = "${name()}"`,
    );
    expect(await traced(directory)).toEqual({ ...done, reported: false });
    const connection = await connectAmqp(brokerUrl as string);
    connection.on('error', () => undefined);
    cleanups.push(() => connection.close().catch(() => undefined));
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    await expect(channel.checkQueue(queue)).rejects.toThrow(/NOT_FOUND/);
  });
});

test('a dry run through Kafka makes no topic and joins no group', async () => {
  const standIn = await KafkaStandIn.start();
  cleanups.push(() => standIn.stop());
  const directory = serviceWith(
    `type = "mq"\n  driver = "kafka"\n  brokers = ["${standIn.brokers[0]}"]\n  consumer {\n    group_id = "g"\n    topics = ["in"]\n    create_if_missing = true\n  }`,
    'target = "out"',
  );
  expect(await traced(directory, '--dry-run')).toEqual(done);
  expect(standIn.asked.filter((each) => each !== 'apiVersions' && each !== 'metadata')).toEqual([]);
  expect([...standIn.topics.names]).toEqual([]);
});

test.skipIf(natsUrl === undefined)('a dry run through NATS makes neither stream nor consumer', async () => {
  const [stream, subject] = [name(), name()];
  const directory = serviceWith(
    `type = "mq"\n  driver = "nats"\n  url = "${natsUrl}"\n  consumer {\n    stream = "${stream}"\n    durable = "d"\n    subjects = ["${subject}"]\n    create_if_missing = true\n  }`,
    `target = "${subject}"`,
  );
  expect(await traced(directory, '--dry-run')).toEqual(done);
  const connection = await connectNats({ servers: natsUrl as string });
  cleanups.push(() => connection.close());
  const manager = await jetstreamManager(connection);
  await expect(manager.streams.info(stream)).rejects.toThrow(/not found/);
});

test.skipIf(redisUrl === undefined)('a dry run through channels of Redis sends nothing', async () => {
  const channel = name();
  const directory = serviceWith(
    `type = "mq"\n  driver = "redis"\n  url = "${redisUrl}"\n  channels = ["${channel}"]`,
    `target = "${channel}"`,
  );
  expect(await traced(directory, '--dry-run')).toEqual(done);
});

test.skipIf(mqttUrl === undefined)('a trace through MQTT leaves the session of the running service alone', async () => {
  const clientId = name();
  const running = await brokerClient({ clientId });
  cleanups.push(() => running.endAsync());
  let lost = 0;
  running.on('close', () => lost++);
  const received: string[] = [];
  running.on('message', (topic) => received.push(topic));
  await running.subscribeAsync(`${clientId}/#`, { qos: 1 });
  const directory = serviceWith(
    `type = "mqtt"\n  broker = "${mqttUrl}"\n  client_id = "${clientId}"\n  qos = 1\n  will {\n    topic = "${clientId}/gone"\n    payload = "gone"\n  }`,
    `target = "${clientId}/sent"`,
  );
  expect(await traced(directory, '--dry-run')).toEqual(done);
  expect(await traced(directory)).toEqual({ ...done, reported: false });
  await running.publishAsync(`${clientId}/last`, 'x', { qos: 1 });
  expect([lost, received]).toEqual([0, [`${clientId}/sent`, `${clientId}/last`]]);
});
