import { encodeNotification, type OutboxEntry } from '@svc/protocol/wire';
import { expect, test } from 'vitest';
import { untilPassed } from '../../../../test/support/until.ts';
import { type Answers, sessionWith } from '../debug/testing/session.ts';
import { addresseesOf, titleOf } from './look.ts';
import { Outbox } from './outbox.ts';

const entry = (number: number): OutboxEntry => ({
  name: `2026-${String(number).padStart(4, '0')}`,
  at: '2026-01-01T00:00:00.000Z',
  connector: 'chat',
  provider: 'discord',
  medium: 'chat',
  to: ['#orders'],
  recipients: 1,
  text: `message ${number}`,
});

function attached(folder: string | null, messages: readonly OutboxEntry[], capabilities = ['outbox']) {
  const answers: Answers = {
    'debug.attach': () => ({ sessionId: 's', flows: [], capabilities }),
    'debug.ready': () => ({ ok: true, sources: [] }),
    'debug.threads': () => ({ threads: [] }),
    'debug.outbox': () => ({ folder, messages }),
  };
  const { session, dialled } = sessionWith(answers);
  return { outbox: new Outbox(session), session, dialled };
}

const names = (outbox: Outbox) => outbox.state.value.entries.map(({ text }) => text);

test('what is kept already and what comes is listed once, the newest first', async () => {
  const { outbox, session, dialled } = attached('/outbox', [entry(2), entry(1)]);
  await session.attach('ws://service/debug');
  await untilPassed(() => expect(outbox.state.value.folder).toBe('/outbox'));
  for (const number of [3, 2]) await dialled.at(-1)?.send(encodeNotification('event.captured', entry(number)));
  await untilPassed(() => expect(names(outbox)).toEqual(['message 3', 'message 2', 'message 1']));
  session.detach();
  expect(outbox.state.value).toEqual({ folder: undefined, entries: [] });
});

test('200 messages are listed', async () => {
  const { outbox, session } = attached(
    '/outbox',
    Array.from({ length: 300 }, (_, at) => entry(at)),
  );
  await session.attach('ws://service/debug');
  await untilPassed(() => expect(outbox.state.value.entries).toHaveLength(200));
  expect(names(outbox)[0]).toBe('message 299');
});

test('a service that sends its notifications says so, and one that does not know of it says nothing', async () => {
  const sending = attached(null, []);
  await sending.session.attach('ws://service/debug');
  await untilPassed(() => expect(sending.outbox.state.value.folder).toBe(null));
  const old = attached('/outbox', [entry(1)], []);
  await old.session.attach('ws://service/debug');
  await old.outbox.refresh();
  expect(old.outbox.state.value).toEqual({ folder: undefined, entries: [] });
});

test('a message is named by its title, or by the first line of its text', () => {
  expect([titleOf({ title: 'A', text: 'b' }), titleOf({ text: '\n b\nc' }), titleOf({})]).toEqual([
    'A',
    'b',
    '(empty)',
  ]);
  expect(addresseesOf({ to: ['a', 'b'], recipients: 10_000 })).toBe('a, b and 9998 more');
});
