import { EventEmitter } from 'node:events';
import type { ChannelModel } from 'amqplib';
import { expect, test } from 'vitest';
import { ConfirmedChannel } from './confirmed-channel.ts';

type Confirm = (error: unknown) => void;

/** A channel of which the test says what the broker confirms. */
class Channel extends EventEmitter {
  readonly confirms: Confirm[] = [];
  readonly sent: string[] = [];

  publish(_exchange: string, _key: string, content: Buffer, _options: object, confirm: Confirm): void {
    this.sent.push(content.toString());
    this.confirms.push(confirm);
  }
}

async function opened() {
  const channel = new Channel();
  const connection = { serverProperties: { product: 'RabbitMQ' } };
  const model = { connection, createConfirmChannel: async () => channel } as unknown as ChannelModel;
  const confirmed = await ConfirmedChannel.open(model);
  const ends: string[] = [];
  const send = (text: string, messageId: string) =>
    confirmed.send(
      { exchange: '', key: 'orders', content: Buffer.from(text), options: { mandatory: true, messageId } },
      (failure) => ends.push(`${text}: ${failure?.code ?? 'confirmed'}`),
    );
  return { channel, confirmed, ends, send };
}

test('of messages that could not be distinguished when they come back, each waits for the one before it', async () => {
  const { channel, ends, send } = await opened();
  for (const text of ['first', 'second', 'third']) send(text, 'same');
  send('other', 'another');
  expect(channel.sent).toEqual(['first', 'other']);
  const returned = { exchange: '', routingKey: 'orders', replyText: 'NO_ROUTE' };
  channel.emit('return', { fields: returned, properties: { messageId: 'same' } });
  channel.confirms[0]?.(null);
  expect([channel.sent, ends]).toEqual([['first', 'other', 'second'], ['first: connector_failed']]);
  channel.confirms[2]?.(null);
  channel.confirms[3]?.(null);
  channel.confirms[1]?.(null);
  expect(ends).toEqual(['first: connector_failed', 'second: confirmed', 'third: confirmed', 'other: confirmed']);
});

test('when the connection is given up, what was sent may be there, and what waited was not sent', async () => {
  const { channel, confirmed, ends, send } = await opened();
  for (const text of ['first', 'second', 'third']) send(text, 'same');
  confirmed.abandon();
  send('late', 'another');
  expect(channel.sent).toEqual(['first']);
  expect(ends).toEqual([
    'first: outcome_unknown',
    'second: connector_refused',
    'third: connector_refused',
    'late: connector_refused',
  ]);
  // The library says of some of them what it has heard after all.
  channel.confirms[0]?.(null);
  expect(ends.length).toBe(4);
});
