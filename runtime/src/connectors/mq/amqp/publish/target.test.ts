import { CelTimestamp } from '@svc/protocol/cel';
import { describe, expect, test } from 'vitest';
import { until } from '../../../../../../test/support/until.ts';
import { brokerUrl, TestQueue } from '../../testing/broker.ts';
import { cleanups, declared } from '../../testing/consuming.ts';
import { publishing } from '../../testing/publishing.ts';

const next = (queue: TestQueue) => until(() => queue.deadLetter(''));

describe.skipIf(brokerUrl === undefined)('messages that are sent to RabbitMQ', () => {
  test('go to the queue that is the target, as JSON that the broker keeps, with an id and a time', async () => {
    const queue = await declared();
    const { send } = await publishing();
    const answer = await send({ payload: { order: 7n, total: 1.5 } }, { target: queue.name });
    const { content, fields, properties } = await next(queue);
    const { messageId, timestamp, ...rest } = properties;
    expect(answer).toEqual({ value: { message_id: messageId, exchange: '', routing_key: queue.name }, affected: 1 });
    expect([content.toString(), fields.exchange, fields.routingKey]).toEqual([
      '{"order":7,"total":1.5}',
      '',
      queue.name,
    ]);
    expect(rest).toMatchObject({ contentType: 'application/json', deliveryMode: 2, headers: {} });
    expect([messageId, Math.abs(Number(timestamp) - Date.now() / 1000) < 60]).toEqual([
      expect.stringMatching(/^[\da-f-]{36}$/),
      true,
    ]);
  });

  test('are kept by the broker also where nothing is written of publishing', async () => {
    const queue = await declared();
    const { send } = await publishing({ publisher: undefined });
    await send({ payload: { n: 1 } }, { target: queue.name });
    expect((await next(queue)).properties.deliveryMode).toBe(2);
  });

  test('have the properties and headers that params say', async () => {
    const queue = await declared();
    const { send } = await publishing();
    const headers = { text: 'a', n: 3n, half: 0.5, yes: true, none: null, deep: { list: [1, 'b', { c: null }] } };
    await send({
      payload: {},
      target: queue.name,
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      params: {
        message_id: 'm-1',
        correlation_id: 17,
        reply_to: 'answers',
        type: 'order',
        app_id: 'shop',
        user_id: new URL(brokerUrl as string).username,
        content_type: 'application/vnd.order+json',
        content_encoding: 'utf-8',
        priority: 5n,
        expiration: '10m',
        persistent: false,
        timestamp: CelTimestamp.parse('2026-01-02T03:04:05Z'),
        headers,
      },
    });
    const { properties } = await next(queue);
    expect(properties).toMatchObject({
      messageId: 'm-1',
      correlationId: '17',
      replyTo: 'answers',
      type: 'order',
      appId: 'shop',
      userId: new URL(brokerUrl as string).username,
      contentType: 'application/vnd.order+json',
      contentEncoding: 'utf-8',
      priority: 5,
      expiration: '600000',
      deliveryMode: 1,
      timestamp: Date.UTC(2026, 0, 2, 3, 4, 5) / 1000,
    });
    expect(properties.headers).toEqual({
      text: 'a',
      n: 3,
      half: 0.5,
      yes: true,
      deep: { list: [1, 'b', { c: null }] },
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    });
  });

  test('go where the message, the named operation and the publisher say, in this order', async () => {
    const queue = await declared();
    const { send } = await publishing({ publisher: { exchange: queue.exchange, routing_key: 'by.connector' } });
    const place = async (...call: Parameters<typeof send>) => {
      await send(...call);
      const { fields } = await next(queue);
      return [fields.exchange, fields.routingKey];
    };
    const named = { exchange: 'amq.topic', routing_key: 'by.operation' };
    await send({ payload: {} }, { named });
    expect(await queue.counts()).toMatchObject({ ready: 0 });
    expect(await place({ payload: {} })).toEqual([queue.exchange, 'by.connector']);
    expect(await place({ payload: {}, params: { exchange: queue.exchange } }, { named })).toEqual([
      queue.exchange,
      'by.operation',
    ]);
    expect(await place({ payload: {}, params: { routing_key: 'by.params' } })).toEqual([queue.exchange, 'by.params']);
    expect(await place({ payload: {}, params: { routing_key: 'by.params' } }, { target: 'by.target' })).toEqual([
      queue.exchange,
      'by.target',
    ]);
    expect(await place({ payload: {}, params: { exchange: '' } }, { target: queue.name })).toEqual(['', queue.name]);
    expect(await place({ payload: {} }, { named: { queue: queue.name } })).toEqual(['', queue.name]);
  });

  test('are written as the place says: format, envelope, bytes', async () => {
    const queue = await declared();
    const { send } = await publishing({ publisher: { content_type: 'application/vnd.shop+json' } });
    const target = queue.name;
    const sent = async (...call: Parameters<typeof send>) => {
      await send(...call);
      const { content, properties } = await next(queue);
      return [content.toString(), properties.contentType];
    };
    const written = { target, words: { envelope: 'order' } };
    expect(await sent({ payload: { a: 1 } }, written)).toEqual(['{"order":{"a":1}}', 'application/vnd.shop+json']);
    const plain = await publishing();
    await plain.send({ payload: { a: 1 } }, { target, words: { format: 'xml' } });
    const { content, properties } = await next(queue);
    expect([content.toString(), properties.contentType]).toEqual([
      expect.stringContaining('<a>1</a>'),
      'application/xml',
    ]);
    expect(await sent({ payload: { _binary: 'AQI=', _content_type: 'image/png' } }, { target, binary: true })).toEqual([
      '\u0001\u0002',
      'image/png',
    ]);
  });

  test('say the whole row when they tell of a change or a deletion', async () => {
    const queue = await declared();
    const { send } = await publishing();
    const target = queue.name;
    await send({ filters: { id: 7n }, payload: { name: 'a' } }, { verb: 'update', target });
    await send({ address: { id: 7n }, payload: { name: 'b' } }, { verb: 'delete', target });
    expect([(await next(queue)).content.toString(), (await next(queue)).content.toString()]).toEqual([
      '{"id":7,"name":"a"}',
      '{"id":7,"name":"b"}',
    ]);
  });

  test('are kept on disk unless the connector says otherwise', async () => {
    const queue = await declared();
    const { send } = await publishing({ publisher: { persistent: false } });
    await send({ payload: {} }, { target: queue.name });
    expect((await next(queue)).properties.deliveryMode).toBe(1);
  });

  test('that no queue takes fail where they go straight to a queue, or where it is said', async () => {
    const queue = await declared();
    const { send } = await publishing();
    const gone = { target: `${queue.name}.missing` };
    const failed = { code: 'connector_failed', retriable: true };
    await expect(send({ payload: {} }, gone)).rejects.toMatchObject({
      ...failed,
      message: `no queue takes messages of queue "${gone.target}" (NO_ROUTE)`,
    });
    await send({ payload: {}, params: { mandatory: false } }, gone);
    await send({ payload: {}, params: { exchange: 'amq.topic' } }, gone);
    await expect(send({ payload: {}, params: { exchange: 'amq.topic', mandatory: true } }, gone)).rejects.toMatchObject(
      failed,
    );
    const strict = await publishing({ publisher: { exchange: 'amq.topic', mandatory: true } });
    await expect(strict.send({ payload: {} }, gone)).rejects.toMatchObject(failed);
    const lenient = await publishing({ publisher: { mandatory: false } });
    await lenient.send({ payload: {} }, gone);
  });

  test('R-07: that the broker does not keep fail', async () => {
    const queue = await TestQueue.declare({ arguments: { 'x-max-length': 1, 'x-overflow': 'reject-publish' } });
    cleanups.push(() => queue.end());
    const { send } = await publishing();
    await send({ payload: { n: 1 } }, { target: queue.name });
    await expect(send({ payload: { n: 2 } }, { target: queue.name })).rejects.toMatchObject({
      code: 'connector_failed',
      retriable: true,
      message: `the broker does not take the message to queue "${queue.name}"`,
    });
  });

  test('A-03: to an exchange that does not exist fail alone, whatever else is on its way', async () => {
    const queue = await declared();
    const { send } = await publishing();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, (_, at) =>
        at % 4 === 0
          ? send({ payload: { at }, params: { exchange: `${queue.name}.none.${at}` } }, { target: 'a' })
          : send({ payload: { at } }, { target: queue.name }),
      ),
    );
    const failed = outcomes.flatMap((each, at) =>
      each.status === 'rejected' ? [[at, each.reason.code, each.reason.retriable]] : [],
    );
    expect(failed).toEqual(Array.from({ length: 10 }, (_, at) => [at * 4, 'connector_failed', false]));
    expect(await queue.counts()).toMatchObject({ ready: 30 });
  });

  test('whose exchange goes away fail, and the others are sent over another channel', async () => {
    const queue = await declared();
    const { send } = await publishing();
    const gone = { payload: {}, params: { exchange: queue.exchange } };
    await send(gone, { target: 'a' });
    await queue.deleteExchange();
    await expect(send(gone, { target: 'a' })).rejects.toMatchObject({
      code: 'connector_failed',
      retriable: false,
      message: `exchange "${queue.exchange}" does not exist`,
    });
    await until(() => send({ payload: {} }, { target: queue.name }));
  });

  test('a missing exchange of the publisher ends the start', async () => {
    await expect(publishing({ publisher: { exchange: 'svc-test-none' } })).rejects.toThrow(
      /exchange "svc-test-none" does not exist in virtual host "\/"/,
    );
  });

  test.each([
    ['priority', 256],
    ['priority', 'high'],
    ['expiration', 'soon'],
    ['expiration', -1],
    ['message_id', 'x'.repeat(256)],
    ['correlation_id', { a: 1 }],
    ['persistent', 'yes'],
    ['timestamp', 'now'],
    ['mandatory', 1],
    ['exchange', 5],
    ['routing_key', 'ä'.repeat(128)],
    ['user_id', 'other'],
    ['exchange', 'amq.rabbitmq.trace'],
    ['reply_to', 'amq.rabbitmq.reply-to'],
    ['headers', { CC: 'x' }],
    ['headers', { BCC: 5 }],
    ['headers', { CC: { a: 'x' } }],
    ['headers', { BCC: ['x', 5] }],
    ['headers', { CC: ['x'.repeat(256)] }],
    ['headers', 'a'],
    ['headers', { a: { '!': 'int64', value: 'x' } }],
    ['headers', { ['x'.repeat(256)]: 1 }],
    ['headers', { a: 'x'.repeat(70_000) }],
    ['headers', { a: Array.from({ length: 40 }).reduce((inner) => [inner], 1) }],
  ])(
    'A-06: with a malformed %s are refused before anything is sent, and others are not affected: %j',
    async (name, value) => {
      const queue = await declared();
      const { send } = await publishing();
      const target = name === 'routing_key' ? undefined : queue.name;
      await expect(send({ payload: {}, params: { [name]: value } }, { target })).rejects.toMatchObject({
        code: expect.stringMatching(/^(parameters_invalid|value_refused)$/),
        retriable: false,
      });
      await send({ payload: {} }, { target: queue.name });
      expect(await queue.counts()).toMatchObject({ ready: 1 });
    },
  );

  test('of a time before 1970 are refused', async () => {
    const { send } = await publishing();
    const timestamp = CelTimestamp.parse('1969-12-31T00:00:00Z');
    await expect(send({ payload: {}, params: { timestamp } }, { target: 'q' })).rejects.toMatchObject({
      code: 'parameters_invalid',
    });
  });

  test('have every number as a header, and go to the queues that CC and BCC list', async () => {
    const queue = await declared();
    const { send } = await publishing();
    const headers = { CC: [queue.name], BCC: [queue.name], low: -(2 ** 70), high: 2 ** 70, half: 2 ** 51 + 0.5 };
    await send({ payload: {}, params: { headers } }, { target: queue.name });
    const { BCC: _, ...seen } = headers;
    expect((await next(queue)).properties.headers).toEqual(seen);
  });

  test('larger than max_message are refused, and so is what names no queue', async () => {
    const queue = await declared();
    const { send } = await publishing({ max_message: 2000 });
    await expect(send({ payload: { a: 'x'.repeat(2000) } }, { target: queue.name })).rejects.toMatchObject({
      code: 'body_too_large',
    });
    await expect(send({ payload: {} })).rejects.toThrow('flow "f" (to): nothing says which queue the message goes to');
    await expect(send({}, { verb: 'call', operation: 'publish', target: queue.name })).rejects.toThrow(
      'flow "f" (to): nothing says what is sent: write body',
    );
  });

  test('without confirms count as sent when they have left', async () => {
    const queue = await declared();
    const { send } = await publishing({ publisher: { confirms: false } });
    expect(await send({ payload: {} }, { target: `${queue.name}.missing` })).toMatchObject({ affected: 1 });
    await send({ payload: {} }, { target: queue.name });
    await until(async () => (await queue.counts()).ready === 1);
  });
});

describe.skipIf(brokerUrl === undefined)('what is asked of RabbitMQ', () => {
  test('get takes one message and acknowledges it: an object is the row, anything else is raw', async () => {
    const queue = await declared();
    await queue.publish([{ a: 1 }, 'text', '[1]', Buffer.from([255])]);
    const { connector, send } = await publishing();
    const get = () => send({}, { verb: 'read', target: queue.name });
    expect([await get(), await get(), await get(), await get(), await get()]).toEqual([
      { rows: [{ a: 1 }] },
      { rows: [{ raw: 'text' }] },
      { rows: [{ raw: [1] }] },
      { rows: [{ raw: Uint8Array.of(255) }] },
      { rows: [] },
    ]);
    await connector.close();
    expect(await queue.counts()).toEqual({ ready: 0, consumers: 0 });
  });

  test('a request waits for its answer no longer than it may, and its message no longer than that', async () => {
    const queue = await declared();
    const { send } = await publishing({ publisher: { timeout: 150 } });
    await expect(send({ payload: {} }, { operation: 'request', target: queue.name })).rejects.toMatchObject({
      code: 'connector_timeout',
      retriable: true,
      message: 'no answer to the request within 0.15 s',
    });
    await until(async () => (await queue.counts()).ready === 0);
    await expect(
      send({ payload: {} }, { operation: 'request', target: `${queue.name}.missing` }),
    ).rejects.toMatchObject({
      code: 'connector_failed',
    });
  });
});
