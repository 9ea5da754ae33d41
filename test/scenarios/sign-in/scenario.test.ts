import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { App } from '../../../runtime/src/engine/auth/factors/testing/app.ts';
import { type OwnDatabase, ownDatabase } from '../../support/own-database.ts';
import { type RedisNode, startRedisNode } from '../../support/servers/redis-node.ts';
import { runCommand } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { type Answer, type Scenario, startScenario } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

const server = process.env['TEST_POSTGRES_URL'] ?? '';
const secret = 'the secret of this scenario, 32 bytes and more';

/** None of them is used again, which the history of the preset would refuse. */
const [first, second, third, fourth] = ['Correct-Horse-1', 'Correct-Horse-2', 'Correct-Horse-3', 'Correct-Horse-4'];

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

interface SessionView {
  readonly id: string;
  readonly current: boolean;
}

describe.skipIf(server === '')('two processes that share accounts in PostgreSQL and sessions in Redis', () => {
  let database: OwnDatabase;
  let redis: RedisNode;
  let mailer: Upstream;
  /** Where traces are sent. */
  let collector: Upstream;
  let a: Scenario;
  let b: Scenario;
  const passwords: string[] = [];
  const given = new Set<string>();
  let log = '';

  const start = () => {
    const env = {
      DATABASE_URL: database.url,
      REDIS_URL: redis.address,
      MAILER_URL: mailer.address,
      JWT_SECRET: secret,
      SVC_LOG_LEVEL: 'debug',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
    };
    return startScenario(import.meta.dirname, { env, args: ['--verbose-flow'] });
  };

  beforeAll(async () => {
    [database, redis, mailer, collector] = await Promise.all([
      ownDatabase(server),
      startRedisNode(),
      startUpstream(),
      startUpstream(),
    ]);
    // Both find the tables missing at the same time.
    [a, b] = await Promise.all([start(), start()]);
  });

  afterAll(async () => {
    await Promise.all([a?.end(), b?.end()]);
    await Promise.all([mailer?.close(), collector?.close(), redis?.stop(), database?.drop()]);
  });

  const asking = async (on: Scenario, method: string, path: string, body?: object, token?: string): Promise<Answer> =>
    on.ask(method, path, body, token === undefined ? {} : { authorization: `Bearer ${token}` });
  const get = (on: Scenario, path: string, { access_token: token }: Tokens) =>
    asking(on, 'GET', path, undefined, token);
  const post = (on: Scenario, path: string, body: object, by?: Tokens) =>
    asking(on, 'POST', path, body, by?.access_token);
  const refused = ({ status, body }: Answer) => [status, (body as { error: { code: string } }).error.code];

  /** The tokens of an answer that gave some. */
  const tokensOf = (answer: Answer, status = 200): Tokens => {
    expect(answer).toMatchObject({ status, body: { token_type: 'Bearer', expires_in: 3600 } });
    const tokens = answer.body as Tokens;
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      expect(given).not.toContain(token);
      given.add(token);
    }
    return tokens;
  };
  const register = async (on: Scenario, email: string) => {
    passwords.push(first);
    return tokensOf(await post(on, '/auth/register', { email, password: first }), 201);
  };
  const login = async (on: Scenario, email: string, password: string) => {
    passwords.push(password);
    return tokensOf(await post(on, '/auth/login', { email, password }));
  };
  const sessionsOf = async (on: Scenario, by: Tokens) => {
    const { status, body } = await get(on, '/auth/sessions', by);
    expect(status).toBe(200);
    return (body as { sessions: readonly SessionView[] }).sessions;
  };
  /** That a process accepts a token, or refuses it, in a flow and at an endpoint. */
  const expectValid = async (on: Scenario, by: Tokens, isValid: boolean) => {
    const seen = [(await get(on, '/profile', by)).status, (await get(on, '/auth/me', by)).status];
    expect(seen).toEqual(isValid ? [200, 200] : [401, 401]);
  };
  /** What the mailer was handed for an address after so many mails before. */
  const mailTo = async (email: string, before: number) => {
    const mails = () => mailer.received.map(({ body }) => JSON.parse(body)).filter(({ to }) => to === email);
    await until(() => mails().length > before);
    const mail = mails()[before] as { token: string; link: string };
    expect(mail).toEqual({
      to: email,
      token: expect.stringMatching(/^[\w-]{43}$/),
      link: `https://shop.example.test/reset-password#token=${mail.token}`,
    });
    given.add(mail.token);
    return mail.token;
  };

  test('X-11: every endpoint, in the order a person meets them, on one process after the other, one of which is killed', async () => {
    const email = 'ana@example.test';
    const registered = await register(a, email);
    expect(refused(await post(b, '/auth/register', { email: 'ANA@Example.Test', password: second }))).toEqual([
      400,
      'user_exists',
    ]);
    const signedIn = await login(b, email, first);
    const { status, body: me } = await get(a, '/auth/me', signedIn);
    expect([status, me]).toEqual([200, expect.objectContaining({ email })]);
    expect((await get(b, '/profile', registered)).body).toEqual({ email, roles: [] });

    const renewed = tokensOf(await post(a, '/auth/refresh', { refresh_token: signedIn.refresh_token }));
    // What was spent at one process is known to be spent at the other one: its second use ends its session.
    await post(b, '/auth/refresh', { refresh_token: registered.refresh_token });
    expect(refused(await post(a, '/auth/refresh', { refresh_token: registered.refresh_token }))).toEqual([
      401,
      'token_reused',
    ]);
    for (const on of [a, b]) await expectValid(on, registered, false);

    const listed = await sessionsOf(b, renewed);
    expect(listed.map(({ current }) => current)).toEqual([true]);
    expect((await sessionsOf(a, renewed)).map(({ id }) => id)).toEqual(listed.map(({ id }) => id));

    // It has no moment to write anything, and loses nothing.
    expect(await a.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
    log += a.log;
    await expectValid(b, renewed, true);
    await a.end();
    a = await start();
    await expectValid(a, renewed, true);

    const other = await login(b, email, first);
    const changed = { current_password: first, new_password: second };
    expect((await post(a, '/auth/change-password', changed, renewed)).status).toBe(200);
    for (const on of [b, a]) {
      await expectValid(on, other, false);
      await expectValid(on, renewed, true);
    }

    expect((await post(b, '/auth/forgot-password', { email })).status).toBe(200);
    const token = await mailTo(email, 0);
    passwords.push(second, third);
    expect((await post(a, '/auth/reset-password', { token, new_password: third })).status).toBe(200);
    expect(refused(await post(b, '/auth/reset-password', { token, new_password: fourth }))).toEqual([
      401,
      'invalid_reset_token',
    ]);
    for (const on of [a, b]) await expectValid(on, renewed, false);

    expect(refused(await post(a, '/auth/login', { email, password: second }))).toEqual([401, 'invalid_credentials']);
    const last = await login(b, email, third);
    expect((await post(a, '/auth/logout', {}, last)).status).toBe(200);
    for (const on of [b, a]) await expectValid(on, last, false);
    expect(refused(await post(b, '/auth/refresh', { refresh_token: last.refresh_token }))[0]).toBe(401);
  });

  test('X-11: a session that began on A and is refreshed on B is refused by both once A has ended it', async () => {
    const email = 'ben@example.test';
    const desk = await register(a, email);
    const phone = await login(a, email, first);
    const renewed = tokensOf(await post(b, '/auth/refresh', { refresh_token: phone.refresh_token }));
    // Both have seen the token, and remember that its signature is right.
    for (const on of [a, b]) await expectValid(on, renewed, true);
    const session = (await sessionsOf(b, renewed)).find(({ current }) => current);
    const path = `/auth/sessions/${session?.id}`;
    expect((await asking(a, 'DELETE', path, undefined, desk.access_token)).status).toBe(200);
    for (const on of [b, a]) {
      await expectValid(on, renewed, false);
      await expectValid(on, phone, false);
      await expectValid(on, desk, true);
      expect(refused(await post(on, '/auth/refresh', { refresh_token: renewed.refresh_token }))[0]).toBe(401);
    }
    expect(refused(await asking(b, 'DELETE', path, undefined, desk.access_token))).toEqual([404, 'session_not_found']);
  });

  test('X-11: one refresh token at both at once is good once, and one link too', async () => {
    const email = 'cora@example.test';
    const { refresh_token } = await register(b, email);
    const refreshed = await Promise.all([a, b, a, b].map((on) => post(on, '/auth/refresh', { refresh_token })));
    expect(refreshed.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of refreshed.filter(({ status }) => status !== 200)) expect(answer.status).toBe(401);
    // Its owner or a thief spent it; which of both has the new one is not known.
    const winner = tokensOf(refreshed.find(({ status }) => status === 200) as Answer);
    for (const on of [a, b]) await expectValid(on, winner, false);

    expect((await post(a, '/auth/forgot-password', { email })).status).toBe(200);
    const token = await mailTo(email, 0);
    const wanted = [second, third];
    const reset = await Promise.all(
      [b, a].map((on, at) => post(on, '/auth/reset-password', { token, new_password: wanted[at] })),
    );
    expect(reset.map(({ status }) => status).sort()).toEqual([200, 401]);
    const winning = wanted[reset.findIndex(({ status }) => status === 200)] as string;
    passwords.push(...wanted);
    await login(a, email, winning);
  });

  /** An authenticator app of an account, enrolled at A and confirmed at B. */
  const enrol = async (by: Tokens) => {
    const begun = await post(a, '/auth/mfa/setup', { password: first }, by);
    const { provisioning_uri: address } = begun.body as { provisioning_uri: string };
    const app = new App(address, { now: () => Date.now() });
    // The code of the period before: those of the later ones are still good then.
    const confirmed = await post(b, '/auth/mfa/verify', { code: app.code(-1) }, by);
    const { recovery_codes: codes } = confirmed.body as { recovery_codes: readonly string[] };
    for (const each of [app.secret, ...codes]) given.add(each);
    return { app, codes };
  };
  /** The token that completes a sign-in. */
  const waiting = async (on: Scenario, email: string) => {
    const answer = await post(on, '/auth/login', { email, password: first });
    expect([...refused(answer)]).toEqual([428, 'mfa_required']);
    const { mfa_token: token } = answer.body as { mfa_token: string };
    given.add(token);
    return token;
  };

  test('S-27: what begins on one process is completed on the other, once, though the first one is killed', async () => {
    const email = 'eva@example.test';
    const signedIn = await register(a, email);
    for (const on of [a, b]) expect(refused(await post(on, '/pay', {}, signedIn))[0]).toBe(403);
    const { app, codes } = await enrol(signedIn);
    for (const on of [a, b]) expect((await post(on, '/pay', {}, signedIn)).body).toEqual({ paid: true });

    const [one, two] = [await waiting(a, email), await waiting(a, email)];
    expect(await a.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
    log += a.log;
    await a.end();
    a = await start();
    const code = app.code();
    const verified = await Promise.all(
      [one, two, one, two].map((token, at) => post(at < 2 ? a : b, '/auth/mfa/verify', { mfa_token: token, code })),
    );
    expect(verified.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
    const tokens = tokensOf(verified.find(({ status }) => status === 200) as Answer);
    for (const on of [a, b]) expect((await post(on, '/pay', {}, tokens)).status).toBe(200);

    // A recovery code at both at once is good once.
    const recovery = { email, password: first, code: codes[0] };
    const recovered = await Promise.all([a, b, a, b].map((on) => post(on, '/auth/mfa/recovery', recovery)));
    const left = recovered.filter(({ status }) => status === 200);
    expect(left.map(({ body }) => (body as { recovery_codes_left: number }).recovery_codes_left)).toEqual([9]);
    tokensOf(left[0] as Answer);
  });

  test('a factor that was lost is removed on the command line, which ends the sessions on both', async () => {
    const email = 'fay@example.test';
    const before = await register(a, email);
    await enrol(before);
    await waiting(b, email);
    const env = { PORT: '1', ADMIN_PORT: '2', DATABASE_URL: database.url, REDIS_URL: redis.address };
    const words = ['users', 'factors', email, '--remove', 'totp', '--yes', '-c', a.directory];
    const { code, stderr } = await runCommand(words, { ...env, MAILER_URL: mailer.address, JWT_SECRET: secret });
    expect([code, stderr]).toEqual([0, '']);
    for (const on of [a, b]) await expectValid(on, before, false);
    await login(b, email, first);
  });

  test('a role that is given on the command line ends the sessions on both, and opens what needs it', async () => {
    const email = 'dora@example.test';
    const before = await register(a, email);
    expect((await get(b, '/orders', before)).status).toBe(403);
    const env = { PORT: '1', ADMIN_PORT: '2', DATABASE_URL: database.url, REDIS_URL: redis.address };
    const words = ['users', 'roles', email, '--role', 'admin', '-c', a.directory];
    const { code, stderr } = await runCommand(words, { ...env, MAILER_URL: mailer.address, JWT_SECRET: secret });
    expect([code, stderr]).toEqual([0, '']);
    for (const on of [a, b]) await expectValid(on, before, false);
    const after = await login(b, email, first);
    for (const on of [a, b]) expect((await get(on, '/orders', after)).body).toEqual({ orders: [] });
  });

  test('A-11, S-92: no table, no key and value of Redis, no log line, metric, trace and file has a password, a token, or the secret', async () => {
    // Everything that a person leaves is there while it is looked for: a session, a lock, a link and a failed sign-in.
    const email = 'emil@example.test';
    const tokens = await register(a, email);
    passwords.push(fourth);
    for (let at = 0; at < 5; at++) expect((await post(b, '/auth/login', { email, password: fourth })).status).toBe(401);
    expect((await post(b, '/auth/forgot-password', { email })).status).toBe(200);
    await mailTo(email, 0);
    await expectValid(b, tokens, true);

    const [tables, kept] = [await rowsOfTables(), await valuesOfRedis()];
    expect([...tables.keys()].sort()).toEqual([
      'auth_audit',
      'password_history',
      'svc_auth_accounts',
      'svc_auth_devices',
      'svc_auth_identities',
      'svc_auth_keys',
      'svc_auth_passkeys',
      'svc_auth_positions',
      'svc_auth_recovery_codes',
      'svc_auth_scopes',
      'svc_auth_totp',
      'users',
    ]);
    for (const [table, what] of [
      ['users', email],
      ['auth_audit', 'wrong_password'],
      ['password_history', '$argon2id$'],
      ['svc_auth_recovery_codes', '$argon2id$'],
    ] as const)
      expect(tables.get(table)).toContain(what);
    for (const what of ['session', 'reset', 'bf:lockout'])
      expect(kept).toMatch(new RegExp(`svc:auth:[0-9a-f]{32}:${what}:`));
    const shown = [a, b].flatMap(({ admin }) => ['/metrics', '/health'].map((path) => fetch(admin + path)));
    const metrics = await Promise.all(shown.map(async (answer) => (await answer).text()));
    expect(metrics.join()).toContain('svc_');
    await Promise.all([a.stop(), b.stop()]);
    const traces = collector.received.map(({ body }) => body).join('\n');
    expect(traces).toContain('send_reset_link');
    const logs = [log, a.log, b.log].join('\n');
    expect(logs).toContain('send_reset_link');
    const files = [a, b].flatMap(({ directory }) => filesOf(directory));

    const places = {
      tables: [...tables.values()].join('\n'),
      redis: kept,
      metrics: metrics.join('\n'),
      traces,
      logs,
      files: files.join('\n'),
    };
    const secrets = [secret, ...passwords, ...given].flatMap((each) => spellings(each));
    const found = Object.entries(places).flatMap(([place, text]) =>
      secrets.flatMap((each) => (text.includes(each) ? [`${place}: ${each}`] : [])),
    );
    expect(found).toEqual([]);
  });

  /** Every row of every table as JSON, by table. */
  async function rowsOfTables(): Promise<Map<string, string>> {
    const names = await database.rows<{ name: string }>(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
    );
    const texts = new Map<string, string>();
    for (const { name } of names) {
      const rows = await database.rows<{ row: string }>(`SELECT row_to_json(t)::text AS row FROM "${name}" t`);
      texts.set(name, rows.map(({ row }) => row).join('\n'));
    }
    return texts;
  }

  /** Every key with its value, whatever it is. */
  async function valuesOfRedis(): Promise<string> {
    const { client } = redis;
    const texts: string[] = [];
    for (const key of await client.keys('*')) {
      const type = await client.type(key);
      const value =
        type === 'hash'
          ? await client.hgetall(key)
          : type === 'zset'
            ? await client.zrange(key, '0', '-1')
            : type === 'set'
              ? await client.smembers(key)
              : await client.get(key);
      texts.push(`${key} ${JSON.stringify(value)}`);
    }
    return texts.join('\n');
  }
});

/** A secret as it is, and as something may have encoded it. */
function spellings(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  return [text, bytes.toString('hex'), bytes.toString('base64').replace(/=+$/, ''), encodeURIComponent(text)];
}

function filesOf(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
}
