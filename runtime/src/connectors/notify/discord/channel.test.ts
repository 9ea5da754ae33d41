import { expect, test } from 'vitest';
import { problemsOf } from '../../../checks/rules/testing/problems.ts';
import { send } from '../testing/bed.ts';
import { failureOf, opened } from '../testing/opened.ts';
import type { Asked } from '../testing/provider.ts';
import { botBed, webhookBed } from './testing/beds.ts';

const shown = ({ method, url, headers, body }: Asked) => ({
  line: `${method} ${url}`,
  authorization: headers.authorization,
  type: headers['content-type'],
  body: JSON.parse(body),
});

test('a webhook is asked to wait, and shows the sender of the message, else that of the connector', async () => {
  const sender = { username: 'Shop', avatar_url: 'https://example.org/shop.png' };
  const { connector, messages } = await opened(webhookBed, { written: sender });
  await send(connector, { payload: { content: 'one', tts: 'false' } });
  await send(connector, { payload: { text: 'two', username: 'Ops', avatar_url: null, thread_name: 'T' } });
  const line = 'POST /api/webhooks/11/kept-secret-hook?thread_id=7&wait=true';
  const request = { line, authorization: undefined, type: 'application/json' };
  expect(messages().map(shown)).toEqual([
    { ...request, body: { content: 'one', tts: false, ...sender } },
    { ...request, body: { content: 'two', thread_name: 'T', ...sender, username: 'Ops' } },
  ]);
});

test('a bot writes into the channel of the message, else the target, else that of the connector', async () => {
  const { connector, messages } = await opened(botBed);
  await send(connector, { payload: { content: 'one', username: 'not shown by bots' } });
  await send(connector, { payload: { content: 'two' } }, { target: '44' });
  await send(connector, { payload: { content: 'three' }, target: '55' });
  await send(connector, { payload: { content: 'four', channel_id: 66 } }, { target: '44' });
  expect(messages().map(shown)).toEqual(
    [
      ['11', 'one'],
      ['44', 'two'],
      ['55', 'three'],
      ['66', 'four'],
    ].map(([channel, content]) => ({
      line: `POST /api/v10/channels/${channel}/messages`,
      authorization: 'Bot kept-secret-token',
      type: 'application/json',
      body: { content },
    })),
  );
});

test('of both, the webhook sends what names no channel, and the bot what does', async () => {
  const written = { ...webhookBed.written('http://x'), bot_token: 'kept-secret-token' };
  const { connector, provider, messages } = await opened(webhookBed, { written: { bot_token: 'kept-secret-token' } });
  const both = await opened(webhookBed, {
    written: { bot_token: written.bot_token, api_url: `${provider.url}/api/v10` },
  });
  await send(both.connector, { payload: { content: 'a' } });
  await send(both.connector, { payload: { content: 'b' } }, { target: '44' });
  expect(both.messages().map(({ url }) => url)).toEqual([expect.stringContaining('/webhooks/')]);
  expect(messages().map(({ url }) => url)).toEqual(['/api/v10/channels/44/messages']);
  await connector.close();
});

test('a message may have embeds or components instead of a text, and they arrive as they are', async () => {
  const { connector, messages } = await opened(webhookBed);
  const embeds = [{ title: 'Order 5', fields: [{ name: 'Total', value: '9007199254740993', inline: true }] }];
  await send(connector, { payload: { embeds } });
  expect(messages().map(({ body }) => JSON.parse(body))).toEqual([{ embeds }]);
});

test('an idempotency key is a nonce that the provider enforces, the same for the same key', async () => {
  const { connector, messages } = await opened(botBed);
  for (const key of ['order 5', 'order 5', 'order 6'])
    await send(connector, { payload: { content: 'a', idempotency_key: key } });
  const [first, second, third] = messages().map(({ body }) => JSON.parse(body));
  expect(first).toEqual({ content: 'a', nonce: expect.stringMatching(/^[\w-]{25}$/), enforce_nonce: true });
  expect([second.nonce === first.nonce, third.nonce === first.nonce]).toEqual([true, false]);
});

test.each([
  ['a channel that is a path', botBed, { content: 'a', channel_id: '../users/1' }],
  ['a channel of a webhook', webhookBed, { content: 'a', channel_id: '44' }],
  ['a key of a webhook', webhookBed, { content: 'a', idempotency_key: 'k' }],
])('%s is refused, and nothing is sent', async (_, bed, payload) => {
  const { connector, messages } = await opened(bed);
  expect((await failureOf(send(connector, { payload }))).code).toBe('value_refused');
  expect(messages()).toEqual([]);
});

test('credentials that are empty stop the start', async () => {
  const failure = await failureOf(opened(webhookBed, { written: { webhook_url: '' } }));
  expect([failure.code, failure.retriable, failure.message]).toEqual([
    'connector_refused',
    false,
    'webhook_url and bot_token are empty',
  ]);
});

const chat = (lines: string, to = '') =>
  `connector "api" {\n  type = "rest"\n  port = 3000\n}\nconnector "chat" {\n  type = "community_chat"\n  ${lines}\n}\nflow "f" {\n  from {\n    connector = "api"\n    operation = "POST /x"\n  }\n  to {\n    connector = "chat"\n    ${to}\n  }\n}\n`;
const webhook = 'webhook_url = "https://discord.com/api/webhooks/1/x"';
const bot = 'bot_token = "x"\n  channel_id = "1"';

test.each([
  ['a webhook', webhook, '', []],
  ['a bot, and a channel of the destination', bot, 'operation = "send"\n    target = "2"', []],
  ['both', `${webhook}\n  bot_token = "x"`, 'target = "2"', []],
  ['neither', '', '', ['missing-attribute «"chat"»', 'missing-attribute «"chat"»']],
  ['a bot without a channel', 'bot_token = "x"', '', ['missing-attribute «"chat"»']],
  ['a webhook of another protocol', 'webhook_url = "ftp://x/"', '', ['malformed-value «"ftp://x/"»']],
  ['a channel of a webhook', webhook, 'target = "2"', ['malformed-call «"2"»']],
  ['an unknown attribute', `${webhook}\n  chanel_id = "1"`, '', ['unknown-attribute «chanel_id»']],
] as const)('%s', (_title, lines, to, expected) => {
  expect(problemsOf(chat(lines, to))).toEqual(expected);
});

test('a step gives fields of messages and no others', () => {
  const text = `${chat(webhook)}flow "g" {\n  from {\n    connector = "api"\n    operation = "POST /y"\n  }\n  step "s" {\n    connector = "chat"\n    operation = "send"\n    params = {\n      text   = "input.a"\n      emebds = "input.b"\n    }\n  }\n  response {\n    ok = "step.s.result.success"\n  }\n}\n`;
  expect(problemsOf(text)).toEqual(['unknown-parameter «input.b»']);
});
