import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KeptObjects } from '../../../runtime/src/connectors/files/object-store/testing/kept-objects.ts';
import { keys, StandIn } from '../../../runtime/src/connectors/files/object-store/testing/stand-in.ts';
import { brokerUrl, TestQueue } from '../../../runtime/src/connectors/mq/testing/broker.ts';
import { until } from '../../support/until.ts';
import { type Scenario, startScenario } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

/** An event as Amazon S3 sends it ("Event message structure"): the key is encoded as in forms. */
function eventOf(key: string, eventName = 'ObjectCreated:Put') {
  const object = { key, size: 12, eTag: 'd41d8cd98f00b204e9800998ecf8427e', sequencer: '0055AED6DCD90281E5' };
  const bucket = { name: 'box', ownerIdentity: { principalId: 'A3NL1KOZZKExample' }, arn: 'arn:aws:s3:::box' };
  return {
    Records: [
      {
        eventVersion: '2.1',
        eventSource: 'aws:s3',
        awsRegion: 'eu-central-1',
        eventTime: '2026-01-01T12:00:00.000Z',
        eventName,
        userIdentity: { principalId: 'AIDAJDPLRKLG7UEXAMPLE' },
        requestParameters: { sourceIPAddress: '192.0.2.1' },
        s3: { s3SchemaVersion: '1.0', configurationId: 'uploads', bucket, object },
      },
    ],
  };
}

const testEvent = { Service: 'Amazon S3', Event: 's3:TestEvent', Time: '2026-01-01T12:00:00.000Z', Bucket: 'box' };

/** As Amazon SNS wraps it ("Parsing Amazon SNS message formats"). */
function notificationOf(message: unknown) {
  return {
    Type: 'Notification',
    MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
    TopicArn: 'arn:aws:sns:eu-central-1:123456789012:uploads',
    Subject: 'Amazon S3 Notification',
    Message: JSON.stringify(message),
    Timestamp: '2026-01-01T12:00:00.000Z',
  };
}

describe.skipIf(brokerUrl === undefined)('events of an object store that a broker brings', () => {
  const cleanups: (() => unknown)[] = [];
  let objects: KeptObjects;
  let stock: Upstream;
  let events: TestQueue;
  let notifications: TestQueue;
  let service: Scenario;

  beforeEach(async () => {
    const store = await StandIn.start();
    objects = new KeptObjects();
    store.answer = objects.answer;
    stock = await startUpstream(() => ({ body: {} }));
    [events, notifications] = await Promise.all([TestQueue.declare(), TestQueue.declare()]);
    cleanups.push(
      () => store.close(),
      () => stock.close(),
      () => events.end(),
      () => notifications.end(),
    );
    service = await startScenario(import.meta.dirname, {
      env: {
        BROKER_URL: brokerUrl as string,
        EVENTS: events.name,
        NOTIFICATIONS: notifications.name,
        STOCK_URL: stock.address,
        S3_ENDPOINT: store.url,
        S3_REGION: keys.region,
        S3_ACCESS_KEY: keys.access,
        S3_SECRET_KEY: keys.secret,
      },
    });
    cleanups.push(() => service.end());
  });
  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
  });

  const taken = () => stock.received.map(({ url, body }) => [url, JSON.parse(body)]);
  const isEmpty = async (queue: TestQueue) => {
    const { ready } = await queue.counts();
    return ready === 0 && (await service.metric('svc_messages_held{connector="events",driver="amqp_broker"}')) === 0;
  };

  test('each flow reads the object that the event names, also within a notification', async () => {
    objects.put('in/a b+ä.json', '[{"n":1},{"n":2}]', 'application/json');
    objects.put('plain.csv', 'n\n3\n', 'text/csv');
    await events.publish([testEvent, eventOf('in/a+b%2B%C3%A4.json')]);
    await notifications.publish([notificationOf(testEvent), notificationOf(eventOf('plain.csv'))]);
    await until(() => stock.received.length === 2);
    expect(taken().toSorted()).toEqual([
      ['/events', { key: 'in/a b+ä.json', rows: [{ n: 1 }, { n: 2 }] }],
      ['/notifications', { key: 'plain.csv', rows: [{ n: '3' }] }],
    ]);
    await until(() => isEmpty(events));
  });

  test('an object that is gone, and one that was deleted, hold nothing up', async () => {
    objects.put('kept.json', '{"n":1}', 'application/json');
    await events.publish([eventOf('gone.json'), eventOf('deleted.json', 'ObjectRemoved:Delete'), eventOf('kept.json')]);
    await until(() => stock.received.length === 1);
    await until(() => isEmpty(events));
    expect(taken()).toEqual([['/events', { key: 'kept.json', rows: [{ n: 1 }] }]]);
    expect(service.log).toContain('there is no file');
  });
});
