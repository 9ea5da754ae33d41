import { expect, test } from 'vitest';
import { Connection, type Handler, ResponseError } from './connection.ts';

/** A connection whose turns the test gives, with everything that it sent. */
function connected(handlers: Readonly<Record<string, Handler>>) {
  const sent: object[] = [];
  const turns: (() => void)[] = [];
  const sink = { send: (message: object) => void sent.push(message) };
  const connection = new Connection(sink, new Map(Object.entries(handlers)), (work) => void turns.push(work));
  return {
    sent,
    receive: (message: unknown) => connection.receive(typeof message === 'string' ? message : JSON.stringify(message)),
    async settle() {
      for (let turn = turns.shift(); turn; turn = turns.shift()) {
        turn();
        for (let at = 0; at < 10; at++) await Promise.resolve();
      }
    },
  };
}

test('messages are handled in the order in which they came', async () => {
  const order: unknown[] = [];
  const { receive, settle, sent } = connected({
    slow: async (params) => {
      await Promise.resolve();
      order.push(params);
      return params;
    },
    fast: (params) => {
      order.push(params);
    },
  });
  receive({ jsonrpc: '2.0', id: 1, method: 'slow', params: 'first' });
  receive({ jsonrpc: '2.0', method: 'fast', params: 'second' });
  receive({ jsonrpc: '2.0', id: 'x', method: 'fast', params: 'third' });
  await settle();
  expect(order).toEqual(['first', 'second', 'third']);
  expect(sent).toEqual([
    { jsonrpc: '2.0', id: 1, result: 'first' },
    { jsonrpc: '2.0', id: 'x', result: null },
  ]);
});

test('a cancellation overtakes the request that waits', async () => {
  const asked: unknown[] = [];
  const { receive, settle, sent } = connected({ query: (params) => void asked.push(params) });
  receive({ jsonrpc: '2.0', id: 1, method: 'query', params: 1 });
  receive({ jsonrpc: '2.0', id: 2, method: 'query', params: 2 });
  receive({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id: 2 } });
  await settle();
  expect(asked).toEqual([1]);
  expect(sent).toEqual([
    { jsonrpc: '2.0', id: 1, result: null },
    { jsonrpc: '2.0', id: 2, error: { code: -32800, message: 'the query was cancelled' } },
  ]);
});

test('what is wrong is answered with its code', async () => {
  const { receive, settle, sent } = connected({
    refused: () => {
      throw new ResponseError(-32602, 'no');
    },
    broken: () => {
      throw new TypeError('a fault');
    },
  });
  for (const message of ['{', '[]', 'null', { id: 1, method: 'unknown' }, { method: 'unknown' }, { id: 9, result: 1 }])
    receive(message);
  receive({ id: 2, method: 'refused' });
  receive({ id: 3, method: 'broken' });
  await settle();
  expect(sent).toEqual([
    { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'the message is not JSON' } },
    { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'the message is not an object' } },
    { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'the message is not an object' } },
    { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'there is no method unknown' } },
    { jsonrpc: '2.0', id: 2, error: { code: -32602, message: 'no' } },
    { jsonrpc: '2.0', id: 3, error: { code: -32603, message: 'a fault' } },
  ]);
});
