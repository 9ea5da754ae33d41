import { expect, test } from 'vitest';
import { joinedChannels } from './channel.ts';
import { connectClient, WireClient } from './client.ts';
import { wireError } from './errors.ts';
import { encodeNotification } from './jsonrpc.ts';

/** The other end: answers every call with the name of its method, after which it says what happened. */
function answering() {
  const [ours, theirs] = joinedChannels();
  theirs.receive((text) => {
    const { id, method } = JSON.parse(text);
    void theirs.send(JSON.stringify({ jsonrpc: '2.0', id, result: method }));
    void theirs.send(encodeNotification('event.continued', { threadId: method }));
  });
  return { ours, theirs };
}

test('calls are answered and events heard until no listener is left', async () => {
  const { ours } = answering();
  const client = new WireClient(ours);
  const heard: unknown[] = [];
  const forget = client.on('event.continued', ({ threadId }) => void heard.push(threadId));
  expect(await client.call('debug.threads', {})).toBe('debug.threads');
  forget();
  expect(await client.call('debug.ready', {})).toBe('debug.ready');
  expect(heard).toEqual(['debug.threads']);
});

test('what is not a message is passed over', async () => {
  const { ours, theirs } = answering();
  const client = new WireClient(ours);
  for (const text of ['{', '[]', 'null', '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","id":99,"result":1}'])
    void theirs.send(text);
  expect(await client.call('debug.threads', {})).toBe('debug.threads');
});

test('a lost connection rejects what waits, and is opened again after growing pauses', async () => {
  const pauses: number[] = [];
  const said: string[] = [];
  let attempts = 0;
  const { ended, stop } = connectClient({
    open: async () => {
      if (++attempts % 3 !== 0) throw new Error(`no answer ${attempts}`);
      const { ours, theirs } = answering();
      if (attempts === 3) void Promise.resolve().then(() => theirs.close());
      return ours;
    },
    begin: async (client) => {
      said.push(await client.call('debug.attach', {}).then(String, (error: Error) => error.message));
      if (attempts > 3) stop();
    },
    sleep: async (milliseconds) => void pauses.push(milliseconds),
    lost: (error) => said.push(error?.message ?? 'lost'),
  });
  await ended;
  expect([said, pauses]).toEqual([
    ['no answer 1', 'no answer 2', 'the connection was closed', 'lost', 'no answer 4', 'no answer 5', 'debug.attach'],
    [250, 500, 250, 250, 500],
  ]);
});

test('an end that refuses is not asked again', async () => {
  const refusal = wireError('sessionNotFound', 'not attached');
  const { ended } = connectClient({
    open: async () => answering().ours,
    begin: () => Promise.reject(refusal),
    sleep: () => Promise.resolve(),
  });
  await expect(ended).rejects.toBe(refusal);
});
