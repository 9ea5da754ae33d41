import { wireError } from '@svc/protocol/wire';
import { expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { sessionWith } from '../debug/testing/session.ts';
import { Changes } from './changes.ts';

const answers = {
  'debug.attach': () => ({ sessionId: 's', flows: [], capabilities: ['unlock'] }),
  'debug.ready': () => ({ ok: true, sources: [] }),
  'debug.threads': () => ({ threads: [] }),
  'debug.unlock': () => ({ ok: true }),
  'debug.lock': () => ({ ok: true }),
};

test('what changes a service is refused here until the person unlocks it, and again when it is locked', async () => {
  const { session, asked } = sessionWith(answers);
  const changes = new Changes(session);
  expect(changes.obstacle).toBe('A running service is needed.');
  await session.attach('127.0.0.1:1');
  expect(changes.obstacle).toBeUndefined();
  await expect(changes.call('debug.threads', {})).rejects.toThrow('Unlock changes first.');
  await changes.unlock();
  expect(await changes.call('debug.threads', {})).toEqual({ threads: [] });
  await changes.lock();
  await expect(changes.call('debug.threads', {})).rejects.toThrow('Unlock changes first.');
  expect(asked.filter((method) => /lock$/.test(method))).toEqual(['debug.unlock', 'debug.lock']);
});

test('a lost connection is unlocked again, and a session that ended is locked', async () => {
  const { session, asked, dialled } = sessionWith(answers);
  const changes = new Changes(session);
  await session.attach('127.0.0.1:1');
  await changes.unlock();
  dialled.at(-1)?.close();
  session.retry();
  await until(() => asked.filter((method) => method === 'debug.unlock').length === 2);
  expect(changes.isUnlocked.value).toBe(true);
  session.detach();
  expect(changes.isUnlocked.value).toBe(false);
});

test('a service that does not know it cannot be unlocked, and one that refuses stays locked', async () => {
  const old = sessionWith({ ...answers, 'debug.attach': () => ({ sessionId: 's', flows: [], capabilities: [] }) });
  const changes = new Changes(old.session);
  await old.session.attach('127.0.0.1:1');
  expect(changes.obstacle).toBe('The running service cannot do it.');
  const refused = sessionWith({
    ...answers,
    'debug.unlock': () => {
      throw wireError('internalError', 'no');
    },
  });
  const others = new Changes(refused.session);
  await refused.session.attach('127.0.0.1:1');
  await expect(others.unlock()).rejects.toThrow('no');
  expect(others.isUnlocked.value).toBe(false);
});
