import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { configured } from '../../../../test/support/configured.ts';
import { until } from '../../../../test/support/until.ts';
import type { Message } from '../../foundation/contracts/message.ts';
import type { Outcome } from '../../foundation/contracts/outcome.ts';
import type { EventConnector } from '../intake/testing/conformance.ts';
import { addressOf } from './address.ts';
import { mqtt } from './spec.ts';
import { MqttBed, mqttUrl } from './testing/bed.ts';
import { checkFilter, subscriptionsOf } from './topics.ts';

const never = new AbortController().signal;
const reply: Outcome = { kind: 'reply', value: null };

describe('topic filters', () => {
  test.each([
    ['a/+/c', undefined],
    ['#', undefined],
    ['*', undefined],
    ['a/#/b', '"#" is the last level of a topic filter'],
    ['a/b+', '"b+": a wildcard is a whole level of a topic filter'],
    ['a/b#', '"b#": a wildcard is a whole level of a topic filter'],
    [`a/${'x'.repeat(65_535)}`, 'a topic has at most 65535 bytes'],
    ['ä/\u{1f321}', undefined],
  ])('%j', (filter, problem) => {
    expect(checkFilter(filter)).toBe(problem);
  });

  test.each([
    ['\0', '0000'],
    ['\t', '0009'],
    ['\u007f', '007F'],
    ['\u009f', '009F'],
    ['\ud800', 'D800'],
    ['\uffff', 'FFFF'],
    ['\u{1fffe}', '1FFFE'],
  ])('with %j, over which brokers end a connection', (unfit, code) => {
    expect(checkFilter(`a${unfit}b`)).toBe(
      `a topic has no control character, surrogate or noncharacter, and this one has U+${code}`,
    );
  });

  test('what another filter covers is not subscribed to', () => {
    expect(subscriptionsOf(['a/b', 'a/+', 'a/+/c', 'b/#', 'b', 'b/x/y', '$SYS/x', 'a/+'])).toEqual([
      'a/+',
      'a/+/c',
      'b/#',
      '$SYS/x',
    ]);
    expect(subscriptionsOf(['#', 'a/b', '$SYS/#', '$SYS/x'])).toEqual(['#', '$SYS/#']);
  });
});

describe('the address of a broker', () => {
  const address = (written: Record<string, unknown>) => addressOf(configured(mqtt.config, written));
  test.each([
    [{}, 'mqtt localhost:1883', undefined],
    [{ broker: 'ssl://h' }, 'mqtts h:8883', undefined],
    [{ broker: 'tcp://h', tls: {} }, 'mqtts h:8883', undefined],
    [{ broker: 'ws://h:8080/mqtt?tenant=a' }, 'ws h:8080', '/mqtt?tenant=a'],
    [{ broker: 'ws://h', tls: {} }, 'wss h:443', '/'],
    [{ broker: 'wss://h/', tls: { enabled: false } }, 'wss h:443', '/'],
  ])('%j', (written, expected, path) => {
    const { protocol, host, port, path: found } = address(written);
    expect([`${protocol} ${host}:${port}`, found]).toEqual([expected, path]);
  });

  test('A-11: who connects is in it or beside it, and its text shows neither', () => {
    const { username, password, text } = address({ broker: 'tcp://a:p%40ss@h', username: 'b', password: 'c' });
    expect([username, password, text]).toEqual(['a', 'p@ss', 'tcp://h:1883']);
    expect(() => address({ broker: 'tcp://a:pa/ss@h' })).toThrow(/^its url cannot be read/);
  });
});

describe.skipIf(mqttUrl === undefined)('an MQTT client', () => {
  let bed: MqttBed;
  beforeEach(async () => {
    bed = await MqttBed.make();
  });
  afterEach(() => bed.close());

  async function open(
    flows: Readonly<Record<string, (message: Message) => Outcome | Promise<Outcome>>>,
    settings: Record<string, unknown> = {},
  ): Promise<EventConnector> {
    const connector = bed.connector(settings);
    const bound = connector.source.bind(
      Object.entries(flows).map(([operation, deliver]) => ({ flow: operation, operation, words: {}, deliver })),
    );
    await bound.prepare();
    await connector.open(never);
    bound.use();
    await connector.source.start();
    return connector;
  }

  const keeping = (taken: Record<string, unknown>[]) => (message: Message) => {
    taken.push(message.input);
    return reply;
  };

  test('fields of a JSON object are input; anything else is _raw: text, or bytes where it is not UTF-8', async () => {
    const taken: Record<string, unknown>[] = [];
    await open({ [bed.topic]: keeping(taken) }, { workers: 1 });
    await bed.publish(['{"level": 3, "_topic": "forged"}', '[1]', 'warm', Buffer.from([0xff, 0x00])]);
    await until(() => taken.length === 4);
    const bodies = taken.map(({ _message_id, ...rest }) => rest);
    const standard = { _topic: bed.topic, _qos: 1, _retained: false };
    expect(bodies).toEqual([
      { level: 3, ...standard },
      { _raw: '[1]', ...standard },
      { _raw: 'warm', ...standard },
      { _raw: Uint8Array.of(0xff, 0), ...standard },
    ]);
  });

  test.each([undefined, '*', '#'])('a flow with the operation %s takes messages of every topic', async (operation) => {
    const taken: Record<string, unknown>[] = [];
    const connector = bed.connector();
    const bound = connector.source.bind([{ flow: 'all', operation, words: {}, deliver: keeping(taken) }]);
    await bound.prepare();
    await connector.open(never);
    bound.use();
    await connector.source.start();
    const topics = [bed.topic, `${bed.topic}/deep/er`, bed.clientId];
    for (const topic of topics) await bed.publish(['here'], topic);
    // Other clients of the broker send too.
    const own = () => taken.map(({ _topic }) => String(_topic)).filter((topic) => topic.startsWith(bed.clientId));
    await until(() => own().length === topics.length);
    expect(own().toSorted()).toEqual(topics.toSorted());
  });

  test('a message goes to each flow whose filter it matches, once', async () => {
    const all: Record<string, unknown>[] = [];
    const one: Record<string, unknown>[] = [];
    const level: Record<string, unknown>[] = [];
    const [root] = bed.topic.split('/');
    await open({
      [`${root}/#`]: keeping(all),
      [`${root}/hall/lamp`]: keeping(one),
      [`${root}/+/lamp`]: keeping(level),
    });
    await bed.publish(['1'], `${root}/hall/lamp`);
    await bed.publish(['2'], `${root}/attic/lamp`);
    await bed.publish(['3'], `${root}/attic`);
    await until(() => all.length === 3);
    expect([all, one, level].map((inputs) => inputs.map(({ _raw }) => _raw))).toEqual([
      ['1', '2', '3'],
      ['1'],
      ['1', '2'],
    ]);
  });

  test.each([1, 2])(
    'quality of service %i: acknowledged after the flow, many at a time, pings answered meanwhile',
    async (qos) => {
      const waiting: (() => void)[] = [];
      const connector = await open(
        { [bed.topic]: () => new Promise((resolve) => waiting.push(() => resolve(reply))) },
        { qos, keep_alive: 1000, workers: 20 },
      );
      await bed.publish(
        Array.from({ length: 10 }, (_, at) => String(at)),
        bed.topic,
        { qos },
      );
      await until(() => waiting.length === 10);
      // Longer than one and a half times the keep-alive, after which a broker ends a silent connection.
      await until(() => bed.proxy.turns > 4);
      await connector.check?.(never);
      for (const go of waiting) go();
      await until(() => connector.source.events.unsettled === 0);
      expect(waiting.length).toBe(10);
    },
  );

  test.each(
    ['3.1.1', '5'].flatMap((version) =>
      [1, 2].flatMap((qos) => [1, 3].map((prefetch) => [version, qos, prefetch] as const)),
    ),
  )(
    'with version %s and quality of service %i at most prefetch messages are held: %i, whatever the broker sends',
    async (protocol_version, qos, prefetch) => {
      const waiting: (() => void)[] = [];
      const taken: unknown[] = [];
      const connector = await open(
        {
          [bed.topic]: ({ input }) => {
            taken.push(input['_raw']);
            return new Promise((resolve) => waiting.push(() => resolve(reply)));
          },
        },
        { protocol_version, qos, prefetch, workers: 10 },
      );
      const sent = Array.from({ length: 40 }, (_, at) => `m${at}`);
      await bed.publish(sent, bed.topic, { qos });
      const { events } = connector.source;
      const most: number[] = [];
      while (taken.length < sent.length || events.unsettled > 0) {
        await until(() => waiting.length > 0 || (taken.length === sent.length && events.unsettled === 0));
        most.push(events.unsettled, waiting.length);
        for (const settle of waiting.splice(0)) settle();
      }
      expect([Math.max(...most), taken]).toEqual([prefetch, sent]);
    },
  );

  test('a kept session brings what was sent while the client was not connected', async () => {
    const first = await open({ [bed.topic]: () => reply });
    await first.close();
    await bed.publish(['meanwhile']);
    const taken: Record<string, unknown>[] = [];
    await open({ [bed.topic]: keeping(taken) });
    await until(() => taken.length === 1);
    expect(taken[0]?.['_raw']).toBe('meanwhile');
  });

  test('A-16: a changed one opens after its predecessor has closed, under the same client id', async () => {
    const first = await open({ [bed.topic]: () => reply });
    await first.source.stop();
    await first.close();
    const taken: Record<string, unknown>[] = [];
    const second = await open({ [bed.topic]: keeping(taken) }, { prefetch: 5 });
    await bed.publish(['a']);
    await until(() => taken.length === 1);
    await second.close();
    // What could not be replaced is opened again.
    await first.open(never);
    await first.source.start();
    await first.check?.(never);
  });

  test('a closed port and a refused password end the start without showing the password', async () => {
    const connector = bed.connector({ broker: 'tcp://app:wrong-secret@127.0.0.1:1' });
    await expect(connector.open(never)).rejects.toThrow(/^tcp:\/\/127\.0\.0\.1:1: .*ECONNREFUSED/);
  });

  test('A-15: a broker whose name is unknown is a typed failure, and the connector can be closed', async () => {
    const connector = bed.connector({ broker: 'tcp://app:wrong-secret@broker.invalid:1883' });
    const failure = await connector.open(never).then(
      () => expect.fail('it opened'),
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ code: 'connector_refused' });
    expect(String(failure)).toMatch(/broker\.invalid/);
    expect(String(failure)).not.toContain('wrong-secret');
    await connector.close();
  });

  test('A-16: of two clients with one id the broker keeps the later; the loss is reported, and nothing is lost', async () => {
    const taken = new Set<unknown>();
    const keep = ({ input }: Message): Outcome => {
      taken.add(input['_raw']);
      return reply;
    };
    const [first, second] = [await open({ [bed.topic]: keep }), await open({ [bed.topic]: keep })];
    await until(() => bed.lines.some(({ message }) => message === 'the broker is unavailable; reconnecting'));
    await bed.publish(['a', 'b', 'c']);
    await until(() => taken.size === 3);
    await first.close();
    await until(() =>
      second.check?.(never).then(
        () => true,
        () => false,
      ),
    );
  });

  test('A-04: a peer that accepts and is silent ends the start', async () => {
    bed.proxy.fault = 'blackhole';
    await expect(bed.connector({ connect_timeout: 50 }).open(never)).rejects.toMatchObject({
      code: 'connector_refused',
    });
  });
});
