import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestBrokers } from '../../../runtime/src/connectors/mq/log/testing/broker.ts';
import { NatsBed, natsUrl } from '../../../runtime/src/connectors/mq/nats/testing/bed.ts';
import { redisUrl } from '../../../runtime/src/connectors/mq/pubsub/testing/bed.ts';
import { brokerUrl, TestQueue } from '../../../runtime/src/connectors/mq/testing/broker.ts';
import { brokerClient, mqttUrl } from '../../../runtime/src/connectors/mqtt/testing/bed.ts';
import { until } from '../../support/until.ts';
import { startScenario } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

const isHere = [brokerUrl, natsUrl, redisUrl, mqttUrl].every((url) => url !== undefined);

/** A line of the log without what differs from run to run. */
type Line = Readonly<Record<string, unknown>>;

describe.skipIf(!isHere)('what a start says of queues', () => {
  const cleanups: (() => unknown)[] = [];
  let queue: TestQueue;
  let brokers: TestBrokers;
  let topic: string;
  let bed: NatsBed;
  let name: string;
  let sink: Upstream;

  beforeEach(async () => {
    name = `svc-notices-${randomBytes(6).toString('hex')}`;
    sink = await startUpstream();
    brokers = await TestBrokers.start();
    topic = await brokers.topic();
    bed = await NatsBed.ofStream();
    cleanups.push(
      () => sink.close(),
      () => brokers.stop(),
      () => bed.close(),
      async () => (await brokerClient({ clientId: `${name}-kept`, clean: true })).endAsync(),
    );
  });
  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
  });

  const connector = (own: string, type: string, text: string) => `connector "${own}" {\n${type}\n${text}\n}\n`;
  const rabbitmq = (own: string, text: string) =>
    connector(own, `type = "mq"\ndriver = "rabbitmq"\nurl = "${brokerUrl}"`, text);
  const kafka = (own: string, text: string) =>
    connector(own, `type = "mq"\ndriver = "kafka"\nbrokers = ${JSON.stringify(brokers.addresses)}`, text);
  const nats = (own: string, text: string) => connector(own, `type = "mq"\ndriver = "nats"\nurl = "${natsUrl}"`, text);
  const redis = (own: string, text: string) =>
    connector(own, `type = "mq"\ndriver = "redis"\nurl = "${redisUrl}"`, text);
  const mqtt = (own: string, text: string) => connector(own, `type = "mqtt"\nbroker = "${mqttUrl}"`, text);
  const flow = (own: string, from: string, operation?: string) => `flow "${own}" {
  from {
    connector = "${from}"
${operation === undefined ? '' : `    operation = "${operation}"`}
  }
  to {
    connector = "sink"
    operation = "POST /"
  }
}
`;

  const taken = (own: string, source: string, operation: string) => ({
    level: 'INFO',
    msg: 'flow takes only messages that match',
    flow: own,
    source,
    operation,
  });

  /** Warnings and errors of connectors and what flows take, by connector, after the service is ready. */
  async function said(text: string): Promise<Record<string, readonly Line[]>> {
    const service = await startScenario(import.meta.dirname, {
      env: { SVC_LOG_FORMAT: 'json', SVC_LOG_LEVEL: 'info', SINK_URL: sink.address },
      prepare: (directory) => writeFileSync(join(directory, 'sources.hcl'), text),
    });
    cleanups.push(() => service.end());
    await until(() => service.log.includes('"msg":"ready"'));
    await service.stop();
    // What is checked while connections are closed is not of the start.
    const [started = ''] = service.log.split('"msg":"stopping"');
    const lines = started
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as { level: string; msg: string; connector?: string } & Line)
      .filter(({ level, msg }) => level !== 'INFO' || /^flow takes only|at most once|are lost:/.test(msg))
      .map(({ time: _, ...line }) => line as Line & { connector?: string });
    const grouped: Record<string, Line[]> = {};
    for (const { connector: own = '', ...line } of lines) (grouped[own] ??= []).push(line);
    return grouped;
  }

  test('each notice is printed where it applies', async () => {
    queue = await TestQueue.declare();
    cleanups.push(() => queue.end());
    const other = await brokers.topic();
    await bed.manager.consumers.add(bed.name, {
      durable_name: 'limited',
      ack_policy: 'explicit' as never,
      max_deliver: 3,
    });
    const text = [
      rabbitmq('letters', `consumer {\nqueue = "${queue.name}"\ndlq {}\n}`),
      flow('letter', 'letters', 'order.*'),
      rabbitmq('eager', `consumer {\nqueue = "${queue.name}"\nauto_ack = true\n}`),
      flow('every_letter', 'eager'),
      rabbitmq('idle', `consumer {\nqueue = "${queue.name}"\n}`),
      kafka('events', `consumer {\ngroup_id = "${topic}"\ntopics = ["${topic}", "${other}"]\nauto_commit = true\n}`),
      flow('event', 'events', topic),
      nats('subjects', ''),
      flow('subject', 'subjects', `${bed.name}.x`),
      nats('limited', `consumer {\nstream = "${bed.name}"\ndurable = "limited"\n}`),
      flow('limit', 'limited'),
      redis('channels', `channels = ["${name}"]`),
      flow('channel', 'channels'),
      mqtt('once', `client_id = "${name}-once"`),
      flow('reading', 'once', `${name}/a`),
      mqtt('clean', `client_id = "${name}-clean"\nqos = 1`),
      flow('other_reading', 'clean', `${name}/b`),
    ].join('\n');
    const narrowed = 'messages that match no flow are dropped: every flow of this source takes some only';
    expect(await said(text)).toEqual({
      letters: [
        {
          level: 'WARN',
          msg: 'the queue exists without the dead letters of this configuration: rejected messages are discarded unless a policy of the broker keeps them; write external = true in the dlq block when one does',
          queue: queue.name,
        },
        taken('letter', queue.name, 'order.*'),
        { level: 'WARN', msg: narrowed, source: queue.name },
      ],
      eager: [
        {
          level: 'WARN',
          msg: 'auto_ack: a message is acknowledged when its flow begins, and is lost when the process or the connection ends before the flow does',
        },
      ],
      idle: [
        { level: 'ERROR', msg: 'no flow takes the messages of this source: nothing is consumed', source: queue.name },
      ],
      events: [
        {
          level: 'WARN',
          msg: 'messages that are under way when the service ends are lost: auto_commit = true commits them before their flows',
        },
        {
          level: 'WARN',
          msg: 'the topic for dead letters does not exist: where the broker does not create it, messages that are given up stop their partition; write create_if_missing = true in the consumer block to have it created',
          topic: `${topic}.dlq`,
        },
        {
          level: 'WARN',
          msg: 'the topic for dead letters does not exist: where the broker does not create it, messages that are given up stop their partition; write create_if_missing = true in the consumer block to have it created',
          topic: `${other}.dlq`,
        },
        taken('event', `${topic},${other}`, topic),
        { level: 'WARN', msg: narrowed, source: `${topic},${other}` },
      ],
      subjects: [
        taken('subject', `${bed.name}.x`, `${bed.name}.x`),
        { level: 'INFO', msg: 'messages are delivered at most once: the server keeps messages in streams alone' },
      ],
      limited: [
        {
          level: 'WARN',
          msg: 'the consumer gives a message up by itself, without a dead letter: its max_deliver is limited',
          consumer: 'limited',
          max_deliver: 3,
        },
      ],
      channels: [{ level: 'INFO', msg: 'messages are delivered at most once: the server keeps none' }],
      once: [
        { level: 'INFO', msg: 'messages are delivered at most once: qos = 0' },
        taken('reading', `${name}/a`, `${name}/a`),
      ],
      clean: [
        { level: 'INFO', msg: 'messages sent while this client is not connected are lost: clean_session = true' },
        taken('other_reading', `${name}/b`, `${name}/b`),
      ],
    });
  });

  test('and none of them where it does not', async () => {
    queue = await TestQueue.named();
    cleanups.push(() => queue.end());
    await brokers.create(`${topic}.dlq`);
    const text = [
      rabbitmq('letters', `consumer {\nqueue = "${queue.name}"\ncreate_if_missing = true\ndlq {}\n}`),
      flow('letter', 'letters', 'order.*'),
      flow('every_letter', 'letters', '#'),
      kafka('events', `consumer {\ngroup_id = "${topic}"\ntopics = ["${topic}"]\n}`),
      flow('event', 'events', topic),
      nats('stream', `consumer {\nstream = "${bed.name}"\ndurable = "taking"\n}`),
      flow('message', 'stream'),
      mqtt('kept', `client_id = "${name}-kept"\nqos = 1\nclean_session = false`),
      flow('reading', 'kept', `${name}/a`),
      redis('publishing', ''),
    ].join('\n');
    expect(await said(text)).toEqual({
      letters: [taken('letter', queue.name, 'order.*')],
      events: [taken('event', topic, topic)],
      kept: [taken('reading', `${name}/a`, `${name}/a`)],
    });
  });
});
