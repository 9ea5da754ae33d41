import type { Channel } from '@svc/protocol/wire';
import { expect, test } from 'vitest';
import { ManualClock } from '../../running/testing/manual-clock.ts';
import { Outbox } from './outbox.ts';

/** A client that reads nothing until `read` is called. */
function slowChannel() {
  const got: string[] = [];
  const held: (() => void)[] = [];
  let isReading = false;
  const closed: unknown[] = [];
  const channel: Channel = {
    send: (text) => {
      got.push(text);
      return isReading ? Promise.resolve() : new Promise((resolve) => void held.push(resolve));
    },
    receive: () => undefined,
    close: (code) => void closed.push(code),
    closed: new Promise(() => undefined),
  };
  const read = async () => {
    isReading = true;
    for (const resolve of held.splice(0)) resolve();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { got, closed, channel, read };
}

test('a stop is not lost behind a million trace events of a client that does not read, and the loss is reported', async () => {
  const clock = new ManualClock();
  const { got, channel, read } = slowChannel();
  const outbox = new Outbox(channel, clock);
  outbox.reports = true;
  const trace = `{"method":"event.ruleEval","params":"${'x'.repeat(1_000)}"}`;
  for (let at = 0; at < 1_000_000; at++) {
    if (outbox.hasRoom) outbox.send(trace, 'trace');
    else outbox.skip();
  }
  outbox.send('stop', 'kept');
  await read();
  const traces = got.filter((text) => text === trace).length;
  expect(got.indexOf('stop')).toBe(traces);
  await clock.pass(1_000);
  expect(JSON.parse(got.at(-1) as string)).toEqual({
    jsonrpc: '2.0',
    method: 'event.dropped',
    params: { count: 1_000_000 - traces },
  });
});

test('everything goes out in order to a client that reads', async () => {
  const { got, channel, read } = slowChannel();
  const outbox = new Outbox(channel, new ManualClock());
  const texts = Array.from({ length: 1_000 }, (_, at) => `${at} ${'x'.repeat(1_000)}`);
  for (const [at, text] of texts.entries()) outbox.send(text, at % 3 === 0 ? 'kept' : 'trace');
  await read();
  expect(got).toEqual(texts);
});

test('a client that reads nothing at all is disconnected before it costs too much memory', () => {
  const { closed, channel } = slowChannel();
  const outbox = new Outbox(channel, new ManualClock());
  const text = 'x'.repeat(1_048_576);
  for (let at = 0; at < 70; at++) outbox.send(text, 'kept');
  expect(closed[0]).toBe(1013);
});

test('texts that leave together count together, and the next ones wait until they have left', async () => {
  const together = Promise.withResolvers<void>();
  const got: string[] = [];
  const channel: Channel = {
    send: (text) => {
      got.push(text);
      return together.promise;
    },
    receive: () => undefined,
    close: () => undefined,
    closed: new Promise(() => undefined),
  };
  const outbox = new Outbox(channel, new ManualClock());
  const texts = Array.from({ length: 20 }, (_, at) => `${at} ${'x'.repeat(32_768)}`);
  for (const text of texts) outbox.send(text, 'trace');
  expect(got).toEqual(texts.slice(0, 8));
  together.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  expect(got).toEqual(texts);
});
