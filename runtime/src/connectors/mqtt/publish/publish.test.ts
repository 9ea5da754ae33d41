import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { IPublishPacket, MqttClient } from 'mqtt';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices, type LogLine, recordingLog } from '../../../../../test/support/connector-services.ts';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import { until } from '../../../../../test/support/until.ts';
import { Content } from '../../../foundation/contracts/content.ts';
import type { CallDescription, CallRequest } from '../../../foundation/contracts/target.ts';
import type { Failure } from '../../../foundation/errors/failure.ts';
import type { TargetConnector } from '../../testing/target-conformance.ts';
import { create } from '../connector.ts';
import { mqtt } from '../spec.ts';
import { brokerClient, mqttUrl, newestClient } from '../testing/bed.ts';
import { gate } from '../testing/gate.ts';

const never = new AbortController().signal;

describe.skipIf(mqttUrl === undefined)('a message that is published', () => {
  const cleanups: (() => unknown)[] = [];
  let topic: string;
  let receiver: MqttClient;
  let received: IPublishPacket[];
  const lines: LogLine[] = [];
  beforeEach(async () => {
    lines.length = 0;
    topic = `svc-test-${randomBytes(6).toString('hex')}/lamp`;
    receiver = await newestClient();
    received = [];
    receiver.on('message', (_topic, _payload, packet) => void received.push(packet));
    await receiver.subscribeAsync(`${topic.split('/')[0]}/#`, { qos: 2, rap: true });
  });
  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
    await receiver.endAsync();
  });

  async function publisher(settings: Record<string, unknown> = {}, call: Partial<CallDescription> = {}) {
    const config = configured(mqtt.config, { broker: mqttUrl, max_reconnect_interval: 20, ...settings });
    const services = connectorServices({ log: recordingLog(lines) });
    const connector = create('plant', config, services) as TargetConnector;
    cleanups.push(() => connector.close(AbortSignal.abort()));
    const described = {
      operation: undefined,
      query: undefined,
      timeout: undefined,
      exact: false,
      flow: 'f',
      label: 'to',
    };
    const execute = connector.target.prepare({ verb: 'create', target: topic, ...described, ...call });
    await connector.open(never);
    return { connector, send: async (request: CallRequest) => execute(request) };
  }

  const failureOf = (work: Promise<unknown>): Promise<Failure> =>
    work.then(
      () => expect.fail('it did not fail'),
      (error: Failure) => error,
    );
  const payloads = () => received.map(({ payload }) => String(payload));

  test.each(['3.1.1', '5'].flatMap((version) => [1, 2].map((qos) => [version, qos] as const)))(
    'with version %s and quality of service %i all of many at once arrive, which a broker acknowledges and loses when too many are under way',
    async (protocol_version, qos) => {
      const { send } = await publisher({ protocol_version, qos });
      const sent = Array.from({ length: 200 }, (_, n) => n);
      await Promise.all(sent.map((n) => send({ payload: { n } })));
      await until(() => received.length >= sent.length);
      expect(payloads()).toEqual(sent.map((n) => `{"n":${n}}`));
    },
  );

  test.each(['3.1.1', '5'].flatMap((version) => [0, 1, 2].map((qos) => [version, qos] as const)))(
    'with version %s and quality of service %i arrives as it was sent',
    async (protocol_version, qos) => {
      const { send } = await publisher({ protocol_version, qos });
      expect(await send({ payload: { level: 3n } })).toEqual({ affected: 1, value: { topic, qos, retain: false } });
      await until(() => received.length === 1);
      expect(received).toMatchObject([{ topic, qos, retain: false }]);
      expect(payloads()).toEqual(['{"level":3}']);
    },
  );

  test('says by params how it is sent, and whether the broker keeps it', async () => {
    const { send } = await publisher({ qos: 0 });
    const value = { topic, qos: 2, retain: true };
    expect(await send({ payload: { on: true }, params: { qos: 2n, retain: true } })).toEqual({ affected: 1, value });
    const late = await brokerClient();
    cleanups.push(() => late.endAsync());
    const kept: IPublishPacket[] = [];
    late.on('message', (_topic, _payload, packet) => void kept.push(packet));
    await late.subscribeAsync(topic);
    await until(() => kept.length === 1);
    expect(kept).toMatchObject([{ retain: true, payload: Buffer.from('{"on":true}') }]);
    // An empty message ends the one that is kept.
    await send({ payload: { _raw: '' }, params: { qos: 1, retain: true } });
    const later = await brokerClient();
    cleanups.push(() => later.endAsync());
    const nothing: IPublishPacket[] = [];
    later.on('message', (_topic, _payload, packet) => void nothing.push(packet));
    await later.subscribeAsync(topic);
    await send({ payload: { on: false }, params: { qos: 1 } });
    await until(() => nothing.length > 0);
    expect(nothing).toMatchObject([{ retain: false, payload: Buffer.from('{"on":false}') }]);
    const refused = [{ qos: 3 }, { qos: '1' }, { retain: 'yes' }].map((params) =>
      failureOf(send({ payload: { a: 1 }, params })),
    );
    expect((await Promise.all(refused)).map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'value_refused: params: qos must be 0, 1 or 2',
      'value_refused: params: qos must be 0, 1 or 2',
      'value_refused: params: retain must be true or false',
    ]);
  });

  test.each([
    ['JSON', {}, { a: 'ä' }, '{"a":"ä"}'],
    ['the codec of its place', { words: { format: 'csv' } }, { a: 1, b: 2 }, 'a,b\r\n1,2\r\n'],
    ['text alone', {}, { _raw: 'ON' }, 'ON'],
    ['bytes alone', {}, { _raw: Uint8Array.of(0xff, 0) }, Buffer.from([0xff, 0])],
    ['the bytes that the configuration names', { binary: true }, { _binary: 'AAEC' }, Buffer.from([0, 1, 2])],
    ['a field that a message brings is data', {}, { _binary: 'AAEC' }, '{"_binary":"AAEC"}'],
    ['text beside others is a field', {}, { _raw: 'ON', a: 1 }, '{"_raw":"ON","a":1}'],
  ])('has a payload: %s', async (_, call, payload, sent) => {
    const { send } = await publisher({ qos: 1 }, call);
    await send({ payload });
    await until(() => received.length === 1);
    expect(received[0]?.payload).toEqual(Buffer.from(sent as string));
  });

  test.each([5, undefined])(
    'may be a file that is kept nowhere, of %s bytes, read no further than may be sent',
    async (size) => {
      let taken = 0;
      const file = (pieces: number) => {
        const stream = () =>
          Readable.from(
            (function* () {
              for (; taken < pieces; taken++) yield Buffer.from('aöbc');
            })(),
            { objectMode: false, highWaterMark: 1 },
          );
        const read = () => expect.fail('its bytes are not here');
        const bytes = { size, once: true, inMemory: undefined, stream, read };
        return new Content(bytes, { filename: 'a.txt', contentType: 'text/plain' }, new Uint8Array());
      };
      const { send } = await publisher({ qos: 1, max_message: 1024 }, { binary: true });
      await send({ payload: { _binary: file(1) } });
      await until(() => received.length === 1);
      expect(payloads()).toEqual(['aöbc']);
      const refused = await failureOf(send({ payload: { _binary: file(100_000) } }));
      expect([refused.code, refused.message]).toEqual([
        'value_refused',
        '_binary has more than 1024 bytes (max_message)',
      ]);
      expect(taken).toBeLessThan(300);
    },
  );

  test('goes to the topic that is written, to that of the message, else to that of the connector', async () => {
    const [root] = topic.split('/');
    const { send } = await publisher({ qos: 1, topic: `${root}/usual` }, { target: undefined });
    await send({ payload: { a: 1 } });
    await send({ payload: { a: 2 }, target: `${root}/own` });
    await until(() => received.length === 2);
    expect(received.map((packet) => packet.topic)).toEqual([`${root}/usual`, `${root}/own`]);
    const refused = ['a/#', '+/a', 'a\0b', '', 'x'.repeat(65_536)].map((target) =>
      failureOf(send({ payload: { a: 1 }, target })),
    );
    expect((await Promise.all(refused)).map(({ code }) => code)).toEqual(refused.map(() => 'value_refused'));
    const { send: nowhere } = await publisher({ qos: 1 }, { target: undefined });
    expect(await failureOf(nowhere({ payload: { a: 1 } }))).toMatchObject({
      code: 'connector_failed',
      retriable: false,
    });
  });

  test('carries user properties, trace, format and expiration with version 5, and nothing of it with 3.1.1', async () => {
    const request = {
      payload: { a: 1 },
      params: {
        headers: { tenant: 'north', note: ['ä', 'b'], age: 3n, none: null },
        expiration: '1m',
        response_topic: 'answers/7',
        correlation_data: Uint8Array.of(7, 0xff),
      },
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    };
    const five = await publisher({ qos: 1, protocol_version: '5' });
    await five.send(request);
    await until(() => received.length === 1);
    expect(received[0]?.properties).toMatchObject({
      payloadFormatIndicator: true,
      contentType: 'application/json; charset=utf-8',
      messageExpiryInterval: expect.toSatisfy((seconds: number) => seconds > 0 && seconds <= 60),
      responseTopic: 'answers/7',
      correlationData: Buffer.from([7, 0xff]),
      userProperties: { tenant: 'north', note: ['ä', 'b'], age: '3', traceparent: request.traceparent },
    });
    const three = await publisher({ qos: 1 });
    await three.send({ payload: { a: 1 }, traceparent: request.traceparent });
    await until(() => received.length === 2);
    expect(received[1]?.properties?.userProperties).toBe(undefined);
    const refused = [
      { headers: { tenant: 'a\0b' } },
      { headers: { tenant: { a: 1 } } },
      { headers: { tenant: 'x'.repeat(65_537) } },
      { headers: 'north' },
      { expiration: 'soon' },
      { expiration: -1 },
      { response_topic: 'a/#' },
      { correlation_data: 7 },
    ].map((params) => failureOf(five.send({ payload: { a: 1 }, params })));
    expect((await Promise.all(refused)).map(({ code }) => code)).toEqual(refused.map(() => 'value_refused'));
    // What a message gives as a whole is known when it comes.
    expect(await failureOf(three.send(request))).toMatchObject({
      code: 'value_refused',
      message: expect.stringContaining('protocol_version = "5"'),
    });
  });

  test.each(['3.1.1', '5'])(
    'with version %s is refused for what brokers end a connection over, and others pass',
    async (protocol_version) => {
      const { send } = await publisher({ qos: 1, protocol_version }, { target: undefined, binary: true });
      const _binary = Uint8Array.of(1);
      const isFive = protocol_version === '5';
      for (const unfit of ['\0', '\t', '\n', '\u007f', '\u0085', '\ufdd0', '\uffff', '\ud800', '\u{1ffff}']) {
        const text = `a${unfit}b`;
        const requests: readonly (readonly [CallRequest, string])[] = [
          [{ target: text, payload: { _binary } }, 'a topic'],
          ...(isFive
            ? ([
                [{ target: topic, payload: { _binary }, params: { headers: { tenant: text } } }, '"tenant"'],
                [{ target: topic, payload: { _binary }, params: { headers: { tenant: ['x', text] } } }, '"tenant"'],
                [{ target: topic, payload: { _binary }, params: { headers: { [text]: 'x' } } }, JSON.stringify(text)],
                [{ target: topic, payload: { _binary }, params: { response_topic: text } }, 'response_topic'],
                [{ target: topic, payload: { _binary, _content_type: text } }, '_content_type'],
              ] as const)
            : []),
        ];
        const failures = await Promise.all(requests.map(([request]) => failureOf(send(request))));
        expect(failures.map(({ code }) => code)).toEqual(requests.map(() => 'value_refused'));
        for (const [at, [, named]] of requests.entries()) {
          expect(failures[at]?.message).toContain(named);
          expect(failures[at]?.message).toMatch(/U\+[0-9A-F]{4,6}$/);
        }
      }
      const trace = { traceparent: '00-\u0085', tracestate: 'a=1,\tb=2' };
      const headers = { none: [], tenant: 'ä\u{1f321}' };
      await send({ target: topic, payload: { _binary }, ...trace, ...(isFive && { params: { headers } }) });
      await until(() => received.length === 1);
      expect(received.map(({ properties }) => ({ ...properties?.userProperties }))).toEqual([
        isFive ? { tenant: 'ä\u{1f321}' } : {},
      ]);
      expect(lines.filter(({ level }) => level !== 'info')).toEqual([]);
    },
  );

  test('that is larger than max_message is not sent, and the connection lives', async () => {
    const { send } = await publisher({ qos: 1, max_message: 2048 });
    const failure = await failureOf(send({ payload: { text: 'x'.repeat(2048) } }));
    expect(failure).toMatchObject({ code: 'connector_failed', retriable: false });
    expect(failure.message).toContain('max_message');
    await send({ payload: { text: 'small' } });
    await until(() => received.length === 1);
    expect(payloads()).toEqual(['{"text":"small"}']);
  });

  describe('whose acknowledgement does not come', () => {
    async function gated(settings: Record<string, unknown> = {}) {
      const { hostname: host, port } = new URL(mqttUrl as string);
      const held = await gate({ host, port: Number(port || 1883) });
      const proxy = await faultProxy({ port: held.port });
      cleanups.push(
        () => held.close(),
        () => proxy.close(),
      );
      const made = await publisher({ qos: 1, broker: `tcp://127.0.0.1:${proxy.port}`, ...settings });
      return { ...made, held, proxy };
    }

    test.each([1, 2])(
      'R-81: with quality of service %i a lost connection leaves its outcome unknown, and the next one is sent over another',
      async (qos) => {
        const { send, held, proxy } = await gated({ qos });
        held.hold();
        const failing = failureOf(send({ payload: { n: 1 } }));
        await until(() => held.kept > 0);
        proxy.fault = 'refuse';
        proxy.reset();
        expect(await failing).toMatchObject({ code: 'outcome_unknown', retriable: true, at: { connector: 'plant' } });
        const offline = await failureOf(send({ payload: { n: 2 } }));
        expect(offline).toMatchObject({ code: 'connector_refused', retriable: true });
        held.release();
        proxy.fault = 'pass';
        await until(() => send({ payload: { n: 3 } }).then(() => true));
        await until(() => payloads().includes('{"n":3}'));
        expect(payloads()).not.toContain('{"n":2}');
      },
    );

    test('fails after publish_timeout, or after the time of its call', async () => {
      const { send, held } = await gated({ publish_timeout: 50 });
      held.hold();
      expect(await failureOf(send({ payload: { n: 1 } }))).toMatchObject({ code: 'connector_timeout' });
    });

    test('holds a place of the window: no more than max_in_flight are sent, and the others follow in order', async () => {
      const { send, held } = await gated({ max_in_flight: 2 });
      held.hold();
      const sending = [1, 2, 3, 4, 5].map((n) => send({ payload: { n } }));
      await until(() => held.kept === 2 * 4);
      await receiver.publishAsync(topic, 'marker', { qos: 1 });
      await until(() => payloads().includes('marker'));
      expect(payloads().toSorted()).toEqual(['marker', '{"n":1}', '{"n":2}']);
      held.release();
      await Promise.all(sending);
      await until(() => received.length === 6);
      expect(payloads().filter((text) => text !== 'marker')).toEqual([1, 2, 3, 4, 5].map((n) => `{"n":${n}}`));
    });

    test('holds its place after it was given up, until the broker has answered', async () => {
      const { send, held } = await gated({ max_in_flight: 1, publish_timeout: 500 });
      held.hold();
      expect(await failureOf(send({ payload: { n: 1 } }))).toMatchObject({ code: 'connector_timeout' });
      const stop = new AbortController();
      const waiting = failureOf(send({ payload: { n: 2 }, signal: stop.signal }));
      stop.abort();
      expect(await waiting).toMatchObject({ code: 'cancelled' });
      held.release();
      await send({ payload: { n: 3 } });
      await until(() => payloads().includes('{"n":3}'));
      expect(payloads()).toEqual(['{"n":1}', '{"n":3}']);
    });
  });
});
