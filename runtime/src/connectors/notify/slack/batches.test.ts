import { describe, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { createExpressionEngine } from '../../../engine/plan/engine.ts';
import { Expressions } from '../../../engine/plan/expressions.ts';
import { systemClock } from '../../../foundation/observe/clock.ts';
import { send } from '../testing/bed.ts';
import { failureOf, type Opening, opened } from '../testing/opened.ts';
import type { Asked } from '../testing/provider.ts';
import { builtInSummary, windowText } from './summary.ts';
import { appBed, webhookBed } from './testing/beds.ts';

/** Windows that end when the test says so, and what the gauge shows. */
async function batching(opening: Opening & { readonly batch?: Record<string, unknown> } = {}, bed = appBed) {
  const windows: { readonly milliseconds: number; readonly end: () => void }[] = [];
  const gauge = { value: 0, most: 0 };
  const sleep = (milliseconds: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      windows.push({ milliseconds, end: resolve });
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  const expressions = new Expressions(createExpressionEngine());
  const made = await opened(bed, {
    ...opening,
    written: { ...opening.written, batch: opening.batch },
    services: {
      clock: { ...systemClock, sleep },
      buffered: (_connector, by) => {
        gauge.value += by;
        gauge.most = Math.max(gauge.most, gauge.value);
      },
      expression: (source, title) => {
        const compiled = expressions.expression(source, title);
        return (activation) => compiled.evaluate(activation);
      },
      ...opening.services,
    },
  });
  const say = async (payload: Record<string, unknown>) =>
    ((await send(made.connector, { payload })).value as { result: Record<string, unknown> }).result;
  return { ...made, windows, gauge, say, bodies: () => made.messages().map(bodyOf) };
}

const bodyOf = ({ body }: Asked) => JSON.parse(body);
const queued = (bucket: string, buffered: number) => ({
  success: true,
  provider: 'slack',
  channel: bucket,
  bucket,
  buffered,
});

describe('messages of a window', () => {
  test('wait in the bucket of their channel, whose result says which, and are sent as one when the window ends', async () => {
    const { say, windows, bodies, messages, gauge } = await batching();
    expect(await say({ text: 'first' })).toEqual(queued('#orders', 1));
    expect(await say({ text: 'other', channel: '#ops' })).toEqual(queued('#ops', 1));
    expect(await say({ text: ' second\nline ' })).toEqual(queued('#orders', 2));
    expect(await say({ text: 'third', username: 'U', icon_emoji: ':x:' })).toEqual(queued('#orders', 3));
    expect([windows.map(({ milliseconds }) => milliseconds), messages(), gauge.value]).toEqual([[3_000, 3_000], [], 4]);
    windows[0]?.end();
    await until(() => messages().length === 1 && gauge.value === 1);
    expect(bodies()).toEqual([
      { channel: '#orders', text: '📨 *3 events:*\n• first\n• second line\n• third', mrkdwn: true },
    ]);
    expect(await say({ text: 'later' })).toEqual(queued('#orders', 1));
    expect(windows).toHaveLength(3);
  });

  test('one alone is sent unchanged', async () => {
    const { say, windows, bodies, messages } = await batching();
    const message = { text: 'only', username: 'U', icon_emoji: ':x:', unfurl_links: false };
    await say(message);
    windows[0]?.end();
    await until(() => messages().length === 1);
    expect(bodies()).toEqual([{ channel: '#orders', ...message }]);
  });

  test('are sent without waiting when there are max_size of them, by the caller of the last one', async () => {
    const { say, bodies, gauge } = await batching({ batch: { max_size: 3 } });
    await say({ text: 'a' });
    await say({ text: 'b' });
    expect(await say({ text: 'c' })).toMatchObject({ success: true, message_ts: expect.any(String), channel: 'C1' });
    expect([bodies().length, gauge]).toEqual([1, { value: 0, most: 3 }]);
  });

  test('of every channel wait together where group_by is global, and are shown in their own', async () => {
    const { say, windows, bodies, messages } = await batching({ batch: { group_by: 'global', window: 10_000 } });
    expect(await say({ text: 'a', channel: '#one' })).toMatchObject({ bucket: 'global', buffered: 1 });
    expect(await say({ text: 'b', channel: '#two' })).toMatchObject({ bucket: 'global', buffered: 2 });
    await say({ text: 'c', channel: '#one' });
    windows[0]?.end();
    await until(() => messages().length === 2);
    expect([windows.length, windows[0]?.milliseconds]).toEqual([1, 10_000]);
    expect(bodies()).toEqual([
      { channel: '#one', text: '📨 *2 events:*\n• a\n• c', mrkdwn: true },
      { text: 'b', channel: '#two' },
    ]);
  });

  test('over a webhook, a summary has the sender of the connector', async () => {
    const shown = { username: 'Shop', icon_emoji: ':package:', icon_url: 'https://example.org/a.png' };
    const { say, windows, bodies, messages } = await batching({ written: shown }, webhookBed);
    await say({ text: 'a', username: 'U' });
    await say({ text: 'b' });
    windows[0]?.end();
    await until(() => messages().length === 1);
    expect(bodies()).toEqual([{ ...shown, text: '📨 *2 events:*\n• a\n• b', mrkdwn: true }]);
  });
});

describe('what does not wait', () => {
  test.each([
    ['blocks', { blocks: [{ type: 'divider' }] }],
    ['attachments', { text: 'a', attachments: [{ text: 'b' }] }],
    ['a reply', { text: 'a', thread_ts: '1.5' }],
  ])('%s', async (_, payload) => {
    const { say, bodies, windows } = await batching();
    expect(await say(payload)).toMatchObject({ message_id: expect.any(String) });
    expect([bodies(), windows]).toEqual([[{ channel: '#orders', ...payload }], []]);
  });

  test('a message of a connector without batching', async () => {
    const { say, bodies } = await batching({ batch: { enabled: false } });
    await say({ text: 'a' });
    expect(bodies()).toHaveLength(1);
  });

  test('a message beyond those that may wait', async () => {
    const { say, gauge, messages } = await batching({ batch: { max_size: 1_000 } });
    for (let at = 0; at < 10_000; at++) await say({ text: 'a', channel: `#${at % 11}` });
    expect([gauge.value, messages().length]).toEqual([10_000, 0]);
    expect(await say({ text: 'one more' })).not.toHaveProperty('bucket');
    expect(messages()).toHaveLength(1);
  });

  test('a message without text, without channel, or too large is refused', async () => {
    const { connector, windows } = await batching({ written: { channel: '' } });
    for (const [payload, message] of [
      [{ channel: '#a' }, 'the message has no text'],
      [{ text: 'a' }, 'the message has no channel'],
      [{ channel: '#a', text: 'x'.repeat(1_100_000) }, 'the message is larger than 1048576 bytes'],
    ] as const)
      expect((await failureOf(send(connector, { payload }))).message).toBe(message);
    expect(windows).toEqual([]);
  });
});

describe('the summary', () => {
  const cel = (source: string) => ({
    kind: 'cel',
    source,
    reads: ['messages', 'count', 'channel', 'window'],
    gives: 'string',
  });

  test('is the expression of the configuration', async () => {
    const source = `string(count) + '/' + channel + '/' + window + '/' + messages.map(m, m.username + ':' + m.text).join(',')`;
    const { say, windows, bodies, messages, log } = await batching({ batch: { summary: cel(source), window: 90_000 } });
    await say({ text: 'a', username: 'U' });
    await say({ text: 'b' });
    windows[0]?.end();
    await until(() => messages().length === 1);
    expect(bodies()[0]).toEqual({ channel: '#orders', text: '2/#orders/1m30s/U:a,:b', mrkdwn: true });
    expect(log.lines.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  test.each([
    ['fails', 'messages[99].text'],
    ['gives another kind', 'dyn(count)'],
    ['gives no text', "''"],
    ['does not compile', 'messages['],
  ])('is the built-in text when the expression %s, and that is logged', async (_, source) => {
    const { say, windows, bodies, messages, log } = await batching({ batch: { summary: cel(source) } });
    await say({ text: 'a' });
    await say({ text: 'b' });
    windows[0]?.end();
    await until(() => messages().length === 1);
    expect(bodies()[0]?.text).toBe('📨 *2 events:*\n• a\n• b');
    expect(log.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });

  test('that is built in leaves out empty texts, and is cut between characters', () => {
    const message = (text: string) => ({ text }) as Parameters<typeof builtInSummary>[0][number];
    expect(builtInSummary([message('a'), message(' \n ')])).toBe('📨 *2 events:*\n• a');
    const text = builtInSummary(Array.from({ length: 50 }, () => message('ä'.repeat(1_000))));
    expect([
      Buffer.byteLength(text) <= 38_000,
      Buffer.byteLength(text) > 37_990,
      text.endsWith('ä\n…(truncated)'),
    ]).toEqual([true, true, true]);
  });

  test('writes the window as durations are written', () => {
    expect([500, 3_000, 1_500, 90_000, 3_600_000].map(windowText)).toEqual(['500ms', '3s', '1.5s', '1m30s', '1h0m0s']);
  });
});

describe('R-81: a stop', () => {
  test('sends what waits in every bucket, and what comes then is refused', async () => {
    const { say, connector, bodies, gauge } = await batching();
    await say({ text: 'a' });
    await say({ text: 'b' });
    await say({ text: 'c', channel: '#ops' });
    await connector.close();
    expect(bodies().map(({ channel, text }) => [channel, text])).toEqual([
      ['#orders', '📨 *2 events:*\n• a\n• b'],
      ['#ops', 'c'],
    ]);
    expect(gauge.value).toBe(0);
    expect((await failureOf(send(connector, { payload: { text: 'd' } }))).code).toBe('connector_refused');
  });

  test('whose time is over loses them, and says how many', async () => {
    const { say, connector, log, gauge, provider } = await batching({ answer: () => 'silent' });
    await say({ text: 'a' });
    await say({ text: 'b' });
    const cut = new AbortController();
    const closing = connector.close(cut.signal);
    await until(() => provider.held === 1);
    cut.abort();
    await closing;
    await until(() => gauge.value === 0);
    expect(log.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { message: 'messages that waited together are lost', fields: { bucket: '#orders', messages: 2 } },
    ]);
  });

  test('messages that the provider refuses later are logged with their number, and others continue', async () => {
    const { say, windows, log, messages } = await batching({
      answer: (asked, nth) => (nth === 1 ? { status: 500 } : appBed.taken('1', asked)),
    });
    await say({ text: 'a' });
    windows[0]?.end();
    await until(() => log.lines.some(({ level }) => level === 'error'));
    await say({ text: 'b' });
    windows[1]?.end();
    await until(() => messages().length === 2);
  });
});

test('the webhook is used where both are configured; a message has its own sender first', async () => {
  const { connector, messages } = await opened(webhookBed, {
    written: { token: 'xoxb-kept-secret', channel: '#orders', username: 'Shop', icon_emoji: ':package:' },
  });
  const { value } = await send(connector, { payload: { text: 'a', username: 'Ops' } });
  expect(value).toEqual({ result: { success: true, provider: 'slack', channel: '#orders' } });
  expect(messages().map(({ url, headers, body }) => [url, headers.authorization, JSON.parse(body)])).toEqual([
    [
      '/services/T1/B1/kept-secret-hook',
      undefined,
      { username: 'Ops', icon_emoji: ':package:', channel: '#orders', text: 'a' },
    ],
  ]);
});

test('an app asks with its token, for the channel of the message, the target or the connector', async () => {
  const { connector, messages } = await opened(appBed, { written: { username: 'not shown', icon_url: 'x' } });
  await send(connector, { payload: { text: 'a' } });
  await send(connector, { payload: { text: 'b' } }, { target: '#target' });
  await send(connector, { payload: { text: 'c', channel: '#own' } }, { target: '#target' });
  expect(messages().map(({ url, headers, body }) => [url, headers.authorization, JSON.parse(body)])).toEqual(
    [
      ['#orders', 'a'],
      ['#target', 'b'],
      ['#own', 'c'],
    ].map(([channel, text]) => ['/api/chat.postMessage', 'Bearer xoxb-kept-secret', { channel, text }]),
  );
});

test('credentials that are empty stop the start', async () => {
  const failure = await failureOf(opened(webhookBed, { written: { webhook_url: '' } }));
  expect([failure.code, failure.retriable, failure.message]).toEqual([
    'connector_refused',
    false,
    'webhook_url and token are empty',
  ]);
});
