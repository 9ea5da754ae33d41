import { afterEach, describe, expect, test } from 'vitest';
import { faultProxy } from '../../../../test/support/proxy.ts';
import { accountKnownFor } from './recogniser.ts';
import type { Account } from './store/accounts.ts';
import { redisStateOf } from './store/testing/redis-state.ts';
import { unique } from './store/testing/state-subject.ts';
import { type AuthBed, authBed, goodPassword, quick } from './testing/bed.ts';

const server = process.env['TEST_REDIS_URL'];
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** Names of the commands in what a client sends: arrays of texts with their lengths (RESP). */
function commandsIn(bytes: Buffer): string[] {
  const names: string[] = [];
  let at = 0;
  const line = () => {
    const end = bytes.indexOf('\r\n', at);
    const text = bytes.toString('latin1', at, end);
    at = end + 2;
    return text;
  };
  while (at < bytes.length) {
    const count = Number(line().slice(1));
    for (let index = 0; index < count; index++) {
      const length = Number(line().slice(1));
      if (index === 0) names.push(bytes.toString('latin1', at, at + length).toLowerCase());
      at += length + 2;
    }
  }
  return names;
}

interface Watched {
  readonly bed: AuthBed;
  readonly token: string;
  /** The commands that a request sends to the server, and the round trips that it takes. */
  during(ask: () => Promise<unknown>): Promise<{ readonly commands: readonly string[]; readonly turns: number }>;
}

async function watched(lines = ''): Promise<Watched> {
  const { hostname, port } = new URL(server as string);
  const pieces: Buffer[] = [];
  const proxy = await faultProxy({ host: hostname, port: Number(port || 6379) }, (piece) => pieces.push(piece));
  const state = redisStateOf(`redis://127.0.0.1:${proxy.port}`);
  await state.open(new AbortController().signal);
  cleanups.push(
    () => proxy.close(),
    () => state.close(),
  );
  const free = 'security {\n brute_force {\n enabled = false\n fail_delay = "0s"\n }\n }';
  const bed = await authBed(quick(`${free}\n${lines}`), { state });
  const email = `${unique('ana').replaceAll(':', '-').slice(-40)}@example.test`;
  const { body } = await bed.register(email, goodPassword);
  cleanups.push(() => state.sessions.endAll(body.user.id));
  return {
    bed,
    token: body.access_token,
    async during(ask) {
      pieces.length = 0;
      proxy.turns = 0;
      await ask();
      const commands = commandsIn(Buffer.concat(pieces)).filter((name) => name !== 'ping');
      // The first time that a connection sends a script, it sends its text.
      return { commands: commands.map((name) => name.replace(/^evalsha$/, 'eval')), turns: proxy.turns };
    },
  };
}

const noted = { commands: ['eval'], turns: 1 };
const looked = { commands: ['hmget'], turns: 1 };
const nothing = { commands: [], turns: 0 };

test.skipIf(server === undefined)('a request with a token sends one command to a store that is shared', async () => {
  const { bed, token, during } = await watched();
  const asked = () => bed.caller(token);
  expect(await during(asked)).toEqual(noted);
  for (let at = 0; at < 3; at++) expect(await during(asked)).toEqual(looked);
  // Its use is to be noted again.
  bed.clock.pass(61_000);
  expect(await during(asked)).toEqual(noted);
  expect(await during(asked)).toEqual(looked);
  expect(await during(() => bed.ask('me', { token }))).toEqual(looked);
  // The session has ended.
  await bed.ask('logout', { token });
  expect(await during(asked)).toEqual(looked);
});

test.skipIf(server === undefined)('a use that is not noted is one command too', async () => {
  const { bed, token, during } = await watched('sessions {\n extend_on_activity = false\n }');
  for (let at = 0; at < 2; at++) expect(await during(() => bed.caller(token))).toEqual(looked);
});

test.skipIf(server === undefined)(
  'a request without a token, or with a wrong one, asks the store nothing',
  async () => {
    const { bed, token, during } = await watched();
    for (const wrong of [undefined, `${token}x`, 'x', 'x'.repeat(9_000)])
      expect(await during(() => bed.caller(wrong))).toEqual(nothing);
    bed.clock.pass(2 * 3_600_000);
    expect(await during(() => bed.caller(token))).toEqual(nothing);
  },
);

test.skipIf(server === undefined)('many requests of one token at once note its use once', async () => {
  const { bed, token } = await watched();
  const at = bed.clock.now();
  bed.clock.pass(61_000);
  const callers = await Promise.all(Array.from({ length: 20 }, () => bed.caller(token)));
  expect(callers.map((caller) => typeof caller)).toEqual(Array.from({ length: 20 }, () => 'object'));
  const [session] = await bed.system.sessions.store.of((callers[0] as { readonly user_id: string }).user_id);
  expect(session?.lastActiveAt).toBe(at + 61_000);
});

describe('a stream that is open', () => {
  const idle = 'sessions {\n idle_timeout = "10m"\n }';

  test('is not a use of its session: it ends when its client asks for nothing', async () => {
    const bed = await authBed(quick(idle));
    const { access_token: token } = (await bed.register()).body;
    expect(await bed.caller(token)).toMatchObject({ authenticated: true });
    for (let minute = 0; minute < 9; minute++) {
      bed.clock.pass(60_000);
      expect(await bed.caller(token, 'watching')).toMatchObject({ authenticated: true });
    }
    bed.clock.pass(61_000);
    expect(await bed.caller(token, 'watching')).toBe(undefined);
    expect(await bed.caller(token)).toBe(undefined);
  });

  test('whose client sends messages is used', async () => {
    const bed = await authBed(quick(idle));
    const { access_token: token } = (await bed.register()).body;
    for (let minute = 0; minute < 20; minute++) {
      bed.clock.pass(60_000);
      expect(await bed.caller(token)).toMatchObject({ authenticated: true });
    }
  });
});

describe('an account that another program changes', () => {
  test.each<[string, (bed: AuthBed, id: string) => Promise<unknown>]>([
    ['removes', ({ system }, id) => system.accounts.delete(id)],
    ['locks', ({ system, clock }, id) => system.accounts.update(id, { locked: true }, clock.now())],
  ])('%s: its sessions have ended after thirty seconds at most', async (_what, change) => {
    const bed = await authBed(quick(''));
    const { access_token: token, user } = (await bed.register()).body;
    expect(await bed.caller(token)).toMatchObject({ user_id: user.id });
    await change(bed, user.id);
    bed.clock.pass(accountKnownFor - 1);
    expect(await bed.caller(token)).toMatchObject({ user_id: user.id });
    bed.clock.pass(1);
    const asked = Array.from({ length: 3 }, () => bed.caller(token));
    expect(await Promise.all(asked)).toEqual([undefined, undefined, undefined]);
    expect(await bed.system.sessions.store.of(user.id)).toEqual([]);
  });

  test('gives another password: every session that began before ends after thirty seconds at most, one that began later stays', async () => {
    const bed = await authBed(quick(''));
    const { access_token: token, refresh_token: refresh, user } = (await bed.register()).body;
    const { access_token: second } = (await bed.login(goodPassword)).body;
    const { accounts, sessions } = bed.system;
    bed.clock.pass(60_000);
    expect(await bed.caller(token)).toMatchObject({ user_id: user.id });
    const { passwordHash: expected } = (await accounts.byId(user.id)) as Account;
    await accounts.setPassword(user.id, {
      hash: expected as string,
      changedAt: bed.clock.now(),
      keep: 0,
      expected,
    });
    bed.clock.pass(accountKnownFor);
    const { access_token: later } = (await bed.login(goodPassword)).body;
    const callers = [await bed.caller(token), await bed.caller(token), await bed.caller(later)];
    expect(callers).toEqual([undefined, undefined, expect.objectContaining({ user_id: user.id })]);
    expect((await bed.ask('me', { token: second })).status).toBe(401);
    expect((await bed.ask('refresh', { body: { refresh_token: refresh } })).body.error.code).toBe('session_expired');
    expect(await sessions.store.of(user.id)).toHaveLength(1);
  });

  test('removes, and makes another one with the id: it inherits no session', async () => {
    const bed = await authBed(quick(''));
    const { access_token: token, refresh_token: refresh, user } = (await bed.register()).body;
    const { accounts } = bed.system;
    const former = (await accounts.byId(user.id)) as Account;
    await accounts.delete(user.id);
    bed.clock.pass(60_000);
    await accounts.create({ ...former, email: 'eve@example.test', createdAt: bed.clock.now() });
    expect((await bed.ask('refresh', { body: { refresh_token: refresh } })).body.error.code).toBe('session_expired');
    expect((await bed.ask('me', { token })).status).toBe(401);
    expect(await bed.caller(token)).toBe(undefined);
  });

  test('is looked up once by many requests at the same time, and not again for a while', async () => {
    const bed = await authBed(quick(''));
    const { access_token: token, user } = (await bed.register()).body;
    const { accounts } = bed.system;
    const byId = accounts.byId.bind(accounts);
    let looked = 0;
    accounts.byId = async (id) => {
      looked++;
      return byId(id);
    };
    await bed.caller(token);
    bed.clock.pass(accountKnownFor);
    looked = 0;
    await Promise.all(Array.from({ length: 5 }, () => bed.caller(token)));
    expect(await bed.caller(token)).toMatchObject({ user_id: user.id });
    expect(looked).toBe(1);
  });
});

test.each(['', 'Bearer', 'Bearer ', 'Basic x', 'Token x'])('%j is not a token', async (authorization) => {
  const bed = await authBed(quick(''));
  const { access_token: token } = (await bed.register()).body;
  const header = authorization.replace('x', token);
  expect((await bed.ask('me', { headers: { authorization: header } })).status).toBe(401);
  expect((await bed.ask('me', { headers: { authorization: token } })).status).toBe(401);
  expect((await bed.ask('me', { headers: { authorization: `bEARER  ${token}` } })).status).toBe(200);
});
