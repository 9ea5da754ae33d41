import type { ClientHttp2Session } from 'node:http2';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askHttp2, type Http2Answer, openHttp2 } from '../../../runtime/src/platform/http/testing/http2-caller.ts';
import { type Scenario, startScenario } from '../scenario.ts';

const password = 'Correct-Horse-7';
const people = ['ana', 'ben', 'eva', 'leo'].map((name) => `${name}@example.test`);
/** In every token and every credential that the tests send. */
const secrets: string[] = [password];

let service: Scenario;
beforeAll(async () => {
  service = await startScenario(import.meta.dirname, { env: { SVC_LOG_LEVEL: 'debug' }, args: ['--verbose-flow'] });
});
afterAll(() => service?.end());

const post = (session: ClientHttp2Session, path: string, body: object, more = {}): Promise<Http2Answer> =>
  askHttp2(
    session,
    { ':method': 'POST', ':path': path, 'content-type': 'application/json', ...more },
    JSON.stringify(body),
  );

const get = (session: ClientHttp2Session, path: string, token?: string): Promise<Http2Answer> =>
  askHttp2(session, { ':path': path, ...(token !== undefined && { authorization: `Bearer ${token}` }) });

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

async function signedIn(session: ClientHttp2Session, email: string): Promise<Tokens> {
  const answer = await post(session, '/auth/login', { email, password });
  expect(answer.status).toBe(200);
  const tokens = JSON.parse(answer.text) as Tokens;
  secrets.push(tokens.access_token, tokens.refresh_token);
  return tokens;
}

test('A-01, X-11: people who share one connection are each themselves, at once and after each other', async () => {
  await using session = openHttp2(service.address);
  const registered = await Promise.all(people.map((email) => post(session, '/auth/register', { email, password })));
  expect(registered.map(({ status }) => status)).toEqual(people.map(() => 201));
  const tokens = await Promise.all(people.map((email) => signedIn(session, email)));
  expect(new Set(tokens.map(({ access_token }) => access_token)).size).toBe(people.length);

  const turns = Array.from({ length: 100 }, (_, at) => at % (people.length + 1));
  const answers = await Promise.all(turns.map((person) => get(session, '/profile', tokens[person]?.access_token)));
  expect(answers.map(({ status, text }) => (status === 200 ? JSON.parse(text).email : status))).toEqual(
    turns.map((person) => people[person] ?? 401),
  );
  expect((await get(session, '/orders', tokens[0]?.access_token)).status).toBe(403);
  for (const wrong of [undefined, 'wrong', `${tokens[0]?.access_token}x`, tokens[0]?.refresh_token])
    expect([wrong, (await get(session, '/profile', wrong)).status]).toEqual([wrong, 401]);

  const [first, second] = tokens as [Tokens, Tokens];
  const ended = await post(session, '/auth/logout', {}, { authorization: `Bearer ${first.access_token}` });
  expect(ended.status).toBeLessThan(300);
  const [gone, stays] = await Promise.all(
    [first, second].map(({ access_token }) => get(session, '/profile', access_token)),
  );
  expect([gone?.status, stays?.status]).toEqual([401, 200]);
});

test('answers of sign-in are those over HTTP/1.1, and so are refusals of bodies and credentials', async () => {
  await using session = openHttp2(service.address);
  const json = { 'content-type': 'application/json' };
  for (const [path, body] of [
    ['/auth/login', JSON.stringify({ email: 'absent@example.test', password })],
    ['/auth/login', '{"email":'],
    ['/auth/login', ''],
    ['/auth/login', JSON.stringify({ email: 'x'.repeat(200_000), password })],
    ['/auth/none', '{}'],
    ['/profile', '{}'],
    ['/files', '{}'],
  ] as const) {
    const over1 = await service.ask('POST', path, body, json);
    const over2 = await askHttp2(session, { ':method': 'POST', ':path': path, ...json }, body);
    const { 'content-length': _, ...headers } = over2.headers;
    expect([path, over2.status, headers, over2.text]).toEqual([path, over1.status, over1.headers, over1.text]);
  }
});

test('a form with a file is read for a person who is signed in, and for no one else', async () => {
  await using session = openHttp2(service.address);
  const { access_token: token } = await signedIn(session, people[1] as string);
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(300_000)]), 'a.bin');
  const made = new Response(form);
  const head = { ':method': 'POST', ':path': '/files', 'content-type': made.headers.get('content-type') as string };
  const body = new Uint8Array(await made.arrayBuffer());
  const [known, unknown] = await Promise.all([
    askHttp2(session, { ...head, authorization: `Bearer ${token}` }, body),
    askHttp2(session, head, body),
  ]);
  expect([known?.status, known?.text]).toEqual([200, `{"by":"${people[1]}","size":300000}`]);
  expect(unknown?.status).toBe(401);
});

test('A-11: no credential that came over HTTP/2 is in the log', () => {
  expect(secrets.length).toBeGreaterThan(8);
  for (const secret of secrets) expect(service.log).not.toContain(secret);
});
