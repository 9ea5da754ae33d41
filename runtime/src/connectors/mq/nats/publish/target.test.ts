import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../../../test/support/until.ts';
import type { CallDescription, CallRequest } from '../../../../foundation/contracts/target.ts';
import { describeCall } from '../../../database/testing/parts.ts';
import type { TargetConnector } from '../../../testing/target-conformance.ts';
import { NatsBed, natsUrl } from '../testing/bed.ts';
import { checkCall, checkWord, parametersOf } from './publishing.ts';

const publish = async (connector: TargetConnector, request: CallRequest, call: Partial<CallDescription> = {}) =>
  connector.target.prepare(describeCall('create', { operation: 'PUBLISH', ...call }))(request);
const ask = (connector: TargetConnector, request: CallRequest, call: Partial<CallDescription> = {}) =>
  publish(connector, request, { verb: 'call', operation: 'REQUEST', ...call });

describe.skipIf(natsUrl === undefined)('messages that are sent', () => {
  let bed: NatsBed;
  const heard: [string, string, Record<string, string>][] = [];
  beforeEach(async () => {
    bed = await NatsBed.ofSubjects();
    heard.length = 0;
    bed.client.subscribe(`${bed.name}.heard.>`, {
      callback: (_, message) => {
        const headers = Object.fromEntries(
          [...(message.headers ?? [])].map(([name, [value]]) => [name, value as string]),
        );
        heard.push([message.subject.slice(bed.name.length + 7), message.string(), headers]);
      },
    });
    await bed.client.flush();
  });
  afterEach(() => bed.close());

  test('a payload is published as JSON with headers, to the subject of the flow, the message, params or the connector', async () => {
    const subject = (suffix: string) => `${bed.name}.heard.${suffix}`;
    const { connector } = await bed.open({ publisher: { subject: subject('d') } });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const answers = [
      await publish(
        connector,
        { payload: { n: 1 }, params: { headers: { tenant: 'nörd', n: 5 } } },
        { target: subject('a') },
      ),
      await publish(connector, { payload: { n: 2 }, target: subject('b'), traceparent }),
      await publish(connector, { payload: { n: 3 }, params: { subject: subject('c') } }),
      await publish(connector, { payload: {} }),
    ];
    const message_id = expect.stringMatching(/^[0-9a-f-]{36}$/);
    expect(answers).toEqual(
      ['a', 'b', 'c', 'd'].map((suffix) => ({ affected: 1, value: { message_id, subject: subject(suffix) } })),
    );
    await until(() => heard.length === 4);
    expect(heard).toEqual([
      ['a', '{"n":1}', { tenant: 'nörd', n: '5' }],
      ['b', '{"n":2}', { traceparent }],
      ['c', '{"n":3}', {}],
      ['d', '{}', {}],
    ]);
  });

  test.each([
    ['no subject', { payload: {} }, 'filter_missing'],
    ['a subject that is a number', { payload: {}, params: { subject: 7 } }, 'filter_missing'],
    ['a wildcard', { payload: {}, target: 'a.*' }, 'parameters_invalid'],
    ['a subject of the server', { payload: {}, target: '$JS.API.INFO' }, 'parameters_invalid'],
    ['nothing to send', { target: 'a' }, 'nothing_to_write'],
    ['a header of two lines', { payload: {}, target: 'a', params: { headers: { x: 'a\r\nb' } } }, 'parameters_invalid'],
    [
      'a name of a header with a blank',
      { payload: {}, target: 'a', params: { headers: { 'x y': 'a' } } },
      'parameters_invalid',
    ],
    ['a header that is an object', { payload: {}, target: 'a', params: { headers: { x: {} } } }, 'parameters_invalid'],
    ['headers that are a text', { payload: {}, target: 'a', params: { headers: 'x' } }, 'parameters_invalid'],
    ['headers that are a list', { payload: {}, target: 'a', params: { headers: ['x'] } }, 'parameters_invalid'],
    [
      'a header that is a list of objects',
      { payload: {}, target: 'a', params: { headers: { x: ['a', {}] } } },
      'parameters_invalid',
    ],
    ['what is too large', { payload: { text: 'x'.repeat(3_000) }, target: 'a' }, 'body_too_large'],
  ])('%s is refused, and the connection stays', async (_, request, code) => {
    const { connector } = await bed.open({ max_message: 2_048 });
    await expect(publish(connector, request)).rejects.toMatchObject({ code });
    await publish(connector, { payload: {}, target: `${bed.name}.heard.x` });
  });

  test('a message is sent on with all of its headers, also one that was sent several times', async () => {
    const { connector, taken } = await bed.open(
      { consumer: { queue: 'group' } },
      { flows: { [`${bed.name}.from`]: () => undefined } },
    );
    const seen: unknown[] = [];
    bed.client.subscribe(`${bed.name}.on`, {
      callback: (_, { headers }) => void seen.push([headers?.values('tag'), headers?.values('own')]),
    });
    const { headers } = await import('@nats-io/transport-node');
    const own = headers();
    for (const [name, value] of [['tag', 'a'] as const, ['tag', 'b'] as const, ['own', 'c'] as const])
      own.append(name, value);
    await bed.client.flush();
    bed.client.publish(`${bed.name}.from`, '{}', { headers: own });
    const [, input] = await until(() => taken[0]);
    expect(input['headers']).toEqual({ tag: ['a', 'b'], own: 'c' });
    await publish(connector, { payload: {}, target: `${bed.name}.on`, params: { headers: input['headers'] } });
    await until(() => seen.length === 1);
    expect(seen).toEqual([[['a', 'b'], ['c']]]);
  });

  test('what is too large names both limits', async () => {
    const { connector } = await bed.open({ max_message: 2_048 });
    const large = publish(connector, { payload: { text: 'x'.repeat(3_000) }, target: 'a' });
    await expect(large).rejects.toThrow(
      'the message has 3011 bytes, more than it may: max_payload of the server is 1048576, max_message is 2048',
    );
  });

  test('a request is answered by another program, with what that says', async () => {
    bed.client.subscribe(`${bed.name}.sum`, {
      callback: (_, message) => {
        const { a, b } = message.json<{ a: number; b: number }>();
        message.respond(JSON.stringify({ sum: a + b }));
      },
    });
    bed.client.subscribe(`${bed.name}.text`, { callback: (_, message) => void message.respond('plain') });
    await bed.client.flush();
    const { connector } = await bed.open();
    const asked = Array.from({ length: 20 }, (_, at) =>
      ask(connector, { payload: { a: at, b: 1 }, target: `${bed.name}.sum` }),
    );
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 20 }, (_, at) => ({ value: { sum: at + 1 } })));
    expect(await ask(connector, { payload: {}, target: `${bed.name}.text` })).toEqual({ value: 'plain' });
  });

  test('a request without an answer: no program is there, it says that it failed, or it is silent', async () => {
    bed.client.subscribe(`${bed.name}.silent`, { callback: () => undefined });
    const { headers } = await import('@nats-io/transport-node');
    bed.client.subscribe(`${bed.name}.failing`, {
      callback: (_, message) => {
        const own = headers();
        own.set('Nats-Service-Error-Code', '422');
        own.set('Nats-Service-Error', 'no such order');
        message.respond('', { headers: own });
      },
    });
    await bed.client.flush();
    const { connector } = await bed.open({ timeout: 500 });
    const failure = (suffix: string, call = {}) =>
      ask(connector, { payload: {}, target: `${bed.name}.${suffix}` }, call).then(
        () => expect.fail('it was answered'),
        ({ code, message }) => [code, message.replace(bed.name, 'x')],
      );
    expect(await failure('unheard')).toEqual([
      'connector_refused',
      'no program answers requests of the subject "x.unheard"',
    ]);
    expect(await failure('failing')).toEqual([
      'connector_failed',
      'the service of the subject "x.failing" failed: 422 no such order',
    ]);
    expect(await failure('silent', { timeout: 50 })).toEqual(['connector_timeout', expect.stringContaining('')]);
    expect(await failure('silent')).toEqual(['connector_timeout', expect.stringContaining('')]);
  });

  test('R-07: with `confirms` a stream has stored it: recognised when it comes twice, refused when another was expected', async () => {
    const stream = `${bed.name}_kept`;
    await bed.manager.streams.add({ name: stream, subjects: [`${stream}.>`] });
    const { connector } = await bed.open({ publisher: { confirms: true } });
    const store = (params: Record<string, unknown>, subject = `${stream}.a`) =>
      publish(connector, { payload: { n: 1 }, target: subject, params }).then(
        ({ value }) => value,
        ({ code, retriable }) => [code, retriable],
      );
    const stored = (sequence: number, duplicate: boolean, message_id: unknown, subject = `${stream}.a`) => ({
      message_id,
      subject,
      stream,
      sequence,
      duplicate,
    });
    expect(await store({ message_id: 'm1' })).toEqual(stored(1, false, 'm1'));
    expect(await store({ message_id: 'm1' })).toEqual(stored(1, true, 'm1'));
    const unused = expect.stringMatching(/^[0-9a-f-]{36}$/);
    expect(await store({ expected_sequence: 1n })).toEqual(stored(2, false, unused));
    expect(await store({ expected_sequence: 1 })).toEqual(['constraint_violated', false]);
    expect(await store({ expected_subject_sequence: 0 }, `${stream}.b`)).toEqual(
      stored(3, false, unused, `${stream}.b`),
    );
    expect(await store({ expected_subject_sequence: 0 }, `${stream}.b`)).toEqual(['constraint_violated', false]);
    expect(await store({ expected_stream: 'other' })).toEqual(['constraint_violated', false]);
    expect(await store({ expected_sequence: 'x' })).toEqual(['parameters_invalid', false]);
    expect(await store({ expected_stream: '' })).toEqual(['parameters_invalid', false]);
    expect(await store({ message_id: '' })).toEqual(['parameters_invalid', false]);
    expect(await store({ message_id: 'a\r\nb' })).toEqual(['parameters_invalid', false]);
    expect(await store({ headers: { long: 'x'.repeat(70_000) } })).toEqual(['value_refused', false]);
    expect(await store({}, `${bed.name}.nowhere`)).toEqual(['connector_failed', false]);
    expect((await bed.manager.streams.info(stream)).state.messages).toBe(3);
  });

  test.each([
    ['Nats-TTL', 'ttl'],
    ['Nats-Schedule-Time-Zone', 'schedule_time_zone'],
  ])('the header %s of a message that is stored is refused, and `%s` named', async (name, parameter) => {
    const { connector } = await bed.open({ publisher: { confirms: true } });
    const sent = publish(connector, { payload: {}, target: `${bed.name}.x`, params: { headers: { [name]: 'q' } } });
    await expect(sent).rejects.toMatchObject({
      code: 'parameters_invalid',
      message: `the parameter "headers": the header "${name}" has a parameter: write \`${parameter}\``,
    });
  });

  test('the id of another message is not sent on with its headers', async () => {
    const stream = `${bed.name}_ids`;
    await bed.manager.streams.add({ name: stream, subjects: [`${stream}.>`] });
    const { connector } = await bed.open({ publisher: { confirms: true } });
    const headers = { 'Nats-Msg-Id': 'q', 'nats-msg-id': 'q', tag: 't' };
    for (const n of [1, 2]) await publish(connector, { payload: { n }, target: `${stream}.a`, params: { headers } });
    expect((await bed.manager.streams.info(stream)).state.messages).toBe(2);
  });

  test('a stream that takes no message so large does not get it again', async () => {
    const stream = `${bed.name}_small`;
    await bed.manager.streams.add({ name: stream, subjects: [`${stream}.>`], max_msg_size: 200 });
    const { connector } = await bed.open({ publisher: { confirms: true } });
    await expect(
      publish(connector, { payload: { text: 'x'.repeat(300) }, target: `${stream}.a` }),
    ).rejects.toMatchObject({ code: 'body_too_large' });
  });

  test('A-10: what was sent and not answered may have been published, and says so; what was not sent does not', async () => {
    const { connector } = await bed.open({ timeout: 300 });
    const failing = () =>
      publish(connector, { payload: {}, target: `${bed.name}.heard.x` }).then(
        () => undefined,
        ({ code }) => code,
      );
    bed.proxy.fault = 'blackhole';
    expect(await failing()).toBe('outcome_unknown');
    bed.proxy.fault = 'refuse';
    bed.cut();
    await until(async () => (await failing()) === 'connector_refused');
  });
});

test('what is written of a message is checked before anything runs', () => {
  expect(['PUBLISH', 'request', 'INSERT'].map(checkWord)).toEqual([undefined, undefined, undefined]);
  expect(['SELECT', 'publisch', 'GET /x'].map((word) => checkWord(word) !== undefined)).toEqual([true, true, true]);
  const call = { target: 'a', query: undefined, written: {}, words: {} };
  const says = (verb: 'read' | 'create' | 'update' | 'delete', operation?: string) =>
    checkCall({ ...call, verb, operation }) === undefined;
  expect([says('create'), says('update'), says('read'), says('delete'), says('read', 'REQUEST')]).toEqual([
    true,
    true,
    false,
    false,
    true,
  ]);
  const takes = (operation: string, config: object) => parametersOf(operation, undefined, config as never).takes;
  const problem = (name: string, value: unknown, config: object = {}) =>
    parametersOf('PUBLISH', undefined, config as never).check?.(name, value);
  const confirms = { publisher: { confirms: true } };
  expect([
    problem('headers', 'x'),
    problem('headers', { tag: ['a', 'b'], 'Nats-Msg-Id': 'q' }),
    problem('headers', { 'Nats-Msg-Id': 'q' }, confirms),
    problem('message_id', '', confirms),
  ]).toEqual([
    'must be an object',
    undefined,
    'the header "Nats-Msg-Id" has a parameter: write `message_id`',
    'must not be empty',
  ]);
  expect(takes('PUBLISH', {})).toEqual(['headers']);
  expect(takes('PUBLISH', { publisher: { confirms: true } })).toContain('expected_sequence');
  expect(takes('REQUEST', { publisher: { confirms: true, subject: 'a' } })).toEqual(['subject', 'headers']);
});
