import { describe, expect, test } from 'vitest';
import type { Message } from '../../../foundation/contracts/message.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { reply } from '../../../platform/http/testing/served.ts';
import { resolveOperation } from '../../core/operations.ts';
import { bindingOf, echoed, servedShop } from '../testing/bed.ts';

const _waiting = (seen: Message[]) => async (message: Message) => {
  seen.push(message);
  const { promise, resolve } = Promise.withResolvers<void>();
  message.signal()?.addEventListener('abort', () => resolve());
  await promise;
  throw new Failure('cancelled', 'it was cancelled');
};

describe('headers of an answer', () => {
  test.each(['content-type', 'grpc-status', 'x-trace-bin'])('%s is refused, and the call is answered', async (name) => {
    const answer = { ...reply({ order_id: 7 }), headers: { [name]: 'x' } };
    await using served = await servedShop([bindingOf('GetOrder', () => answer)]);
    expect(await served.ask('GetOrder', {}, { deadline: 10_000 })).toMatchObject({
      code: 2,
      details: `the answer may not set the header ${name}`,
    });
  });
});

describe('messages of a server of gRPC', () => {
  test('a message is an object of the names in its file, and an answer such a message', async () => {
    let input: unknown;
    await using served = await servedShop([
      bindingOf('shop.Shop/GetOrder', (message) => {
        input = message.input;
        return echoed(message);
      }),
    ]);
    const sent = {
      order_id: '9007199254740993',
      text: 'é',
      state: 'OPEN',
      data: Buffer.from([1, 2]).toString('base64'),
      tags: ['a', 'b'],
      counts: JSON.parse('{"__proto__": 1, "x": 2}'),
      made_at: { seconds: 1_700_000_000, nanos: 5_000_000 },
      note: { value: 'n' },
      extra: {
        fields: { list: { listValue: { values: [{ numberValue: 1 }, { nullValue: 0 }, { boolValue: true }] } } },
      },
      amount: 1.5,
      zero: 0,
    };
    const answer = await served.ask('GetOrder', sent, { metadata: { 'x-a': '1' } });
    expect(input).toMatchObject({
      order_id: 9007199254740993n,
      text: 'é',
      state: 'OPEN',
      tags: ['a', 'b'],
      made_at: '2023-11-14T22:13:20.005Z',
      note: 'n',
      extra: { list: [1, null, true] },
      amount: 1.5,
      zero: 0,
      headers: { 'x-a': '1' },
    });
    expect(Object.keys((input as { counts: object }).counts)).toEqual(['__proto__', 'x']);
    expect(({} as { isAdmin?: unknown }).isAdmin).toBe(undefined);
    expect(answer.value).toMatchObject({
      order_id: '9007199254740993',
      data: 'AQI=',
      made_at: { seconds: '1700000000', nanos: 5_000_000 },
      note: { value: 'n' },
      amount: 1.5,
    });
  });

  test.each([
    [false, {}],
    [true, { order_id: 0, text: '', state: 'UNKNOWN', tags: [], counts: {} }],
  ])('emit_defaults = %s decides whether fields at their default are there', async (emit_defaults, expected) => {
    let input: Record<string, unknown> = {};
    await using served = await servedShop(
      [
        bindingOf('Shop/GetOrder', (message) => {
          input = message.input;
          return reply(null);
        }),
      ],
      { emit_defaults },
    );
    expect((await served.ask('GetOrder')).code).toBe(0);
    const { headers: _, data: __, ...fields } = input;
    expect(fields).toEqual(expected);
  });

  test('answers: both spellings, a list in the first repeated field, one message for each element of a stream', async () => {
    await using served = await servedShop([
      bindingOf('GetOrder', () => reply([{ orderId: '7', madeAt: '2024-01-01T00:00:00Z', state: 1 }])),
      bindingOf('ListOrders', () => reply([{ order_id: 1 }, { order_id: 2n }])),
      bindingOf('WatchOrders', () => reply(Array.from({ length: 1000 }, (_, at) => ({ order_id: at })))),
      bindingOf('SendOrders', ({ input }) =>
        reply({ tags: (input['messages'] as { text: string }[]).map(({ text }) => text) }),
      ),
    ]);
    expect((await served.ask('GetOrder')).value).toMatchObject({ order_id: '7', state: 'OPEN' });
    expect((await served.ask('ListOrders')).value).toEqual({ orders: [{ order_id: '1' }, { order_id: '2' }] });
    const { values } = await served.ask('WatchOrders');
    expect(values).toHaveLength(1000);
    expect(values?.at(-1)).toEqual({ order_id: '999' });
  });

  test('unknown fields of an answer are an error in development, and left out with a warning in production', async () => {
    const flows = [bindingOf('GetOrder', () => reply({ order_id: 1, other: 2 }))];
    await using open = await servedShop(flows);
    await using shipped = await servedShop(flows, {}, { production: true });
    expect(await open.ask('GetOrder')).toMatchObject({
      code: 2,
      details: expect.stringContaining('other is not in Order'),
    });
    expect((await shipped.ask('GetOrder')).value).toEqual({ order_id: '1' });
    expect(shipped.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', fields: { flow: 'GetOrder', field: 'other' } }),
    );
  });

  test('a message that a gate dropped is answered with an empty one; headers of an answer are metadata', async () => {
    await using served = await servedShop([
      bindingOf('GetOrder', () => ({
        kind: 'drop',
        reason: 'filter',
        policy: 'ack',
        expression: 'false',
        messageId: '',
      })),
      bindingOf('CreateOrder', () => reply({}, { headers: { 'X-Page': '7' } })),
    ]);
    expect(await served.ask('GetOrder')).toMatchObject({ code: 0, value: {} });
    expect(await served.ask('CreateOrder')).toMatchObject({ code: 0, metadata: { 'x-page': '7' } });
  });

  test('a named operation is its service and its method', () => {
    const own = { service: 'shop.Shop', rpc: 'GetOrder' };
    const connector = {
      operations: new Map([['order', { name: 'order', values: own }]]),
      profiles: new Map(),
      values: {},
    } as unknown as Parameters<typeof resolveOperation>[0];
    expect(resolveOperation(connector, 'order')).toMatchObject({ name: 'order', operation: 'shop.Shop/GetOrder' });
  });
});
