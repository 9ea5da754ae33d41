import type { IPublishPacket } from 'mqtt';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import type { Message } from '../../foundation/contracts/message.ts';
import type { Outcome } from '../../foundation/contracts/outcome.ts';
import type { EventConnector } from '../intake/testing/conformance.ts';
import type { TargetConnector } from '../testing/target-conformance.ts';
import { brokerClient, MqttBed, mqttUrl, newestClient } from './testing/bed.ts';

const never = new AbortController().signal;
const reply: Outcome = { kind: 'reply', value: null };

describe.skipIf(mqttUrl === undefined)('what a client asks of its broker', () => {
  const cleanups: (() => unknown)[] = [];
  let bed: MqttBed;
  beforeEach(async () => {
    bed = await MqttBed.make();
  });
  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
    await bed.close();
  });

  type Taken = Record<string, unknown>[];

  async function open(
    settings: Record<string, unknown>,
    taken?: Taken,
    operation = bed.topic,
  ): Promise<EventConnector> {
    const connector = bed.connector(settings);
    const deliver = (message: Message) => {
      taken?.push(message.input);
      return reply;
    };
    const bound = connector.source.bind(taken === undefined ? [] : [{ flow: 'f', operation, words: {}, deliver }]);
    await bound.prepare();
    await connector.open(never);
    bound.use();
    await connector.source.start();
    return connector;
  }

  async function watcher(topic: string) {
    const client = await newestClient();
    cleanups.push(() => client.endAsync());
    const packets: IPublishPacket[] = [];
    client.on('message', (_topic, _payload, packet) => void packets.push(packet));
    await client.subscribeAsync(topic, { qos: 2, rap: true });
    return { packets, showsRetained: client.options.protocolVersion === 5 };
  }

  test('a client whose id another one takes asks whether that is why it is disconnected', async () => {
    await open({}, []);
    const other = await brokerClient({ clientId: bed.clientId, clean: true });
    cleanups.push(() => other.endAsync(true));
    const line = await until(() => bed.lines.find(({ level }) => level === 'warn'));
    expect(line).toMatchObject({
      message: 'the broker is unavailable; reconnecting',
      fields: { reason: `the broker closed the connection: has another client the client_id "${bed.clientId}"?` },
    });
  });

  const textsOf = (taken: Taken) => taken.map(({ _raw }) => _raw);

  test.each(['3.1.1', '5'])(
    'version %s: its last will is published when its connection is cut, and not when it is closed',
    async (version) => {
      const topic = `${bed.clientId}/status`;
      const { packets, showsRetained } = await watcher(topic);
      const will = { topic, payload: 'gone', qos: 1, retain: true };
      const settings = { protocol_version: version, will, auto_reconnect: false };
      const closed = await open(settings);
      await closed.close();
      const cut = await open({ ...settings, clean_session: true });
      bed.cut();
      await until(() => packets.length === 1);
      expect(packets).toMatchObject([{ topic, payload: Buffer.from('gone'), qos: 1, retain: showsRetained }]);
      await cut.close();
      // Ends what the broker keeps.
      await bed.publish([''], topic, { retain: true });
    },
  );

  test.each(['3.1.1', '5'])(
    'version %s: a share group divides messages among its clients, and each is taken once',
    async (version) => {
      const shares: [Taken, Taken] = [[], []];
      for (const [at, taken] of shares.entries())
        await open(
          {
            protocol_version: version,
            share_group: bed.clientId,
            client_id: `${bed.clientId}-${at}`,
            clean_session: true,
          },
          taken,
        );
      const sent = Array.from({ length: 20 }, (_, at) => String(at));
      await bed.publish(sent);
      await until(() => shares.flat().length >= sent.length);
      expect(textsOf(shares.flat()).toSorted()).toEqual(sent.toSorted());
      expect(shares.every((taken) => taken.length > 0)).toBe(true);
    },
  );

  test.each([
    ['3.1.1', true, ['kept', 'kept', 'now']],
    ['3.1.1', false, ['now']],
    ['5', true, ['kept', 'now']],
    ['5', false, ['now']],
  ])(
    'version %s, retained = %s: what the broker had kept, over two connections, is %j',
    async (version, retained, texts) => {
      await bed.publish(['kept'], bed.topic, { retain: true });
      const taken: Taken = [];
      const settings = { protocol_version: version, retained };
      const first = await open(settings, taken);
      // What was kept comes before the answer to this.
      await first.check?.(never);
      await until(() => first.source.events.unsettled === 0);
      await first.close();
      const second = await open(settings, taken);
      await second.check?.(never);
      await bed.publish(['now']);
      await until(() => textsOf(taken).includes('now'));
      expect(textsOf(taken)).toEqual(texts);
      await bed.publish([''], bed.topic, { retain: true });
    },
  );

  test('levels of its topic are variables of the flow, whatever the message says of them', async () => {
    const taken: Taken = [];
    await open({}, taken, `${bed.clientId}/{site}/+/{sensor}`);
    await bed.publish(['{"site":"forged","celsius":3}'], `${bed.clientId}/hall/2/t1`);
    await until(() => taken.length === 1);
    expect(taken[0]).toMatchObject({ site: 'hall', sensor: 't1', celsius: 3, _topic: `${bed.clientId}/hall/2/t1` });
  });

  test('with version 5 a flow sees user properties, format, and where an answer is expected', async () => {
    const sender = await brokerClient({ protocolVersion: 5 });
    cleanups.push(() => sender.endAsync());
    const properties = {
      contentType: 'application/json',
      responseTopic: 'answers/7',
      correlationData: Buffer.from([7, 0xff]),
      userProperties: { tenant: 'north', note: ['a', 'b'], __proto__x: '1' },
    };
    const five: Taken = [];
    const first = await open({ protocol_version: '5' }, five);
    await sender.publishAsync(bed.topic, '{"a":1}', { qos: 1, properties });
    await sender.publishAsync(bed.topic, '{"a":2}', { qos: 1 });
    await until(() => five.length === 2);
    const usual = { _topic: bed.topic, _qos: 1, _retained: false, _message_id: expect.any(Number) };
    expect(five).toEqual([
      {
        a: 1,
        ...usual,
        _headers: { tenant: 'north', note: ['a', 'b'], __proto__x: '1' },
        _content_type: 'application/json',
        _response_topic: 'answers/7',
        _correlation_data: Uint8Array.of(7, 0xff),
      },
      { a: 2, ...usual },
    ]);
    await first.close();
    const three: Taken = [];
    await open({}, three);
    await sender.publishAsync(bed.topic, '{"a":3}', { qos: 1, properties });
    await until(() => three.length === 1);
    expect(three).toEqual([{ a: 3, ...usual }]);
  });

  describe('a connector of several processes', () => {
    const publishing = (connector: EventConnector, topic: string) => {
      const described = {
        operation: undefined,
        query: undefined,
        timeout: undefined,
        exact: false,
        flow: 'f',
        label: 'to',
      };
      return (connector as unknown as TargetConnector).target.prepare({ verb: 'create', target: topic, ...described });
    };

    test('publishes where it does not subscribe, and while its source is exchanged', async () => {
      const topic = `${bed.clientId}/commands`;
      const { packets } = await watcher(topic);
      const here: Taken = [];
      const subscriber = await open({}, here);
      const elsewhere = bed.connector({});
      const send = publishing(elsewhere, topic);
      await elsewhere.openTarget?.(never);
      await send({ payload: { n: 1 } });
      const alsoHere = publishing(subscriber, topic);
      await alsoHere({ payload: { n: 2 } });
      await subscriber.closeSource?.();
      await alsoHere({ payload: { n: 3 } });
      await elsewhere.open(never);
      await until(() => packets.length === 3);
      expect(packets.map(({ payload }) => String(payload))).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
    });

    test('that only publishes does not use its client id, so that any number of them may', async () => {
      const topic = `${bed.clientId}/commands`;
      const { packets } = await watcher(topic);
      const several = [bed.connector({}), bed.connector({}), bed.connector({})];
      const sends = several.map((connector) => publishing(connector, topic));
      for (const connector of several) await connector.open(never);
      for (const send of sends) await send({ payload: { n: 1 } });
      await until(() => packets.length === 3);
      expect(bed.proxy.connections).toBe(3);
      expect(bed.lines.filter(({ level }) => level !== 'info')).toEqual([]);
    });

    test('whose flows begin to subscribe with a reload connects then', async () => {
      const connector = bed.connector({});
      const send = publishing(connector, bed.topic);
      await connector.open(never);
      expect(bed.proxy.connections).toBe(1);
      const taken: Taken = [];
      const deliver = ({ input }: Message) => {
        taken.push(input);
        return reply;
      };
      const bound = connector.source.bind([{ flow: 'f', operation: bed.topic, words: {}, deliver }]);
      await bound.prepare();
      bound.use();
      await connector.source.start();
      await send({ payload: { n: 1 } });
      await until(() => taken.length === 1);
      expect(bed.proxy.connections).toBe(2);
    });

    test('cannot publish under its client id', () => {
      expect(() => bed.connector({ publisher_id: bed.clientId })).toThrow(/publisher_id is that of the client/);
    });
  });
});
