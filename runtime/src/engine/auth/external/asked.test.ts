import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Failure } from '../../../foundation/errors/failure.ts';
import { ana, authBed, goodPassword, quick } from '../testing/bed.ts';
import { mostUnderWay } from './providers.ts';
import { asking, usualResponse, validator, written } from './testing/validator.ts';

const canary = 'canary-credential-of-the-caller';

/** A server that answers every connection with these bytes, and ends it or not. */
async function raw(bytes: string, ends: boolean): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => (ends ? socket.end(bytes) : socket.write(bytes)));
    onTestFinished(() => void socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as { readonly port: number }).port}`;
}

describe('S-46: a provider that cannot be asked recognises no one, and says so in the log without the credential', () => {
  const answer = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
  const good = '{"active": true, "sub": "u1"}';
  test.each<[string, string, boolean]>([
    ['is silent', '', false],
    ['stops within its answer', `${answer}content-length: 100\r\n\r\n${good}`, false],
    ['ends within its answer', `${answer}content-length: 100\r\n\r\n${good}`, true],
    ['ends without an answer', '', true],
    ['answers something else than HTTP', `echo ${canary}\r\n\r\n`, true],
    ['names two lengths', `${answer}content-length: 29\r\ncontent-length: 5\r\n\r\n${good}`, true],
    ['sends a chunk of a wrong size', `${answer}transfer-encoding: chunked\r\n\r\nzz\r\n${good}\r\n0\r\n\r\n`, true],
    ['announces too much', `${answer}content-length: 1048577\r\n\r\n`, false],
  ])('it %s', async (_what, bytes, ends) => {
    const url = await raw(bytes, ends);
    const bed = await authBed(quick(written({ validate: `${url}/v?t={token}` })));
    expect(await bed.caller(canary)).toBe('authentication_required');
    expect(bed.log).toEqual([
      {
        level: 'warn',
        message: 'a provider says nothing usable about a credential: its caller is not recognised',
        fields: { provider: 'one', error: expect.any(String) },
      },
    ]);
    expect(JSON.stringify(bed.log)).not.toContain(canary);
  });

  test('it refuses connections, or is a name that does not exist', async () => {
    for (const validate of ['http://127.0.0.1:1/v', 'https://nowhere.invalid/v']) {
      const bed = await authBed(quick(written({ validate })));
      expect(await bed.caller(canary)).toBe('authentication_required');
      expect(bed.log).toHaveLength(1);
    }
  });

  test('many failures are one line in ten seconds, which counts those before it', async () => {
    const bed = await authBed(quick(written({})));
    for (let count = 0; count < 5; count++) await bed.caller(canary);
    expect(bed.log.map(({ fields }) => fields['not_logged'])).toEqual([undefined]);
    bed.clock.pass(10_000);
    await bed.caller(canary);
    expect(bed.log.map(({ fields }) => fields['not_logged'])).toEqual([undefined, 4]);
  });

  test('rules that fit no answer are a mistake that is logged; a credential that is not accepted is not', async () => {
    const { bed, peer } = await asking(
      { body: { active: 'yes', sub: canary } },
      { response: 'success = "body.active"\n user_id = "body.id"' },
    );
    const warned = () => bed.log.filter(({ level }) => level === 'warn').map(({ fields }) => fields['error']);
    await bed.caller(canary);
    expect(warned()).toEqual(['`success` gives neither true nor false']);
    bed.clock.pass(10_000);
    peer.answer = { body: { active: true, sub: canary } };
    await bed.caller(canary);
    expect(warned().slice(1)).toEqual(['`user_id` gives no text or whole number of 1 to 512 characters']);
    bed.clock.pass(10_000);
    for (const body of [{ active: false }, {}, '<html>']) {
      peer.answer = { body };
      await bed.caller(canary);
    }
    expect(warned()).toHaveLength(2);
    expect(JSON.stringify(bed.log)).not.toContain(canary);
  });
});

describe('a credential that no one accepts', () => {
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

  test('is refused, and says how; who sends none stays anonymous', async () => {
    const { bed, peer } = await asking();
    peer.answer = { status: 401, body: {} };
    expect(await bed.caller('t')).toBe('authentication_required');
    expect(await bed.caller(undefined)).toBe(undefined);
    expect(await bed.caller('')).toBe(undefined);
    expect((await bed.ask('login', { ...bearer('t'), body: { email: ana, password: 'x' } })).status).toBe(401);
    expect((await bed.ask('register', { ...bearer('t'), body: { email: ana, password: goodPassword } })).status).toBe(
      201,
    );
  });

  test('is not looked at where a path is public: no provider is asked', async () => {
    const { bed, peer } = await asking();
    expect(await bed.caller('t', 'public')).toBe(undefined);
    const { access_token: access } = (await bed.register()).body;
    expect(await bed.caller(access, 'public')).toMatchObject({ email: ana });
    bed.clock.pass(30 * 24 * 3_600_000);
    expect(await bed.caller(access, 'public')).toBe(undefined);
    expect(peer.seen).toEqual([]);
  });
});

describe('several providers', () => {
  test('are asked in the order in which they are written, until one accepts', async () => {
    const peers = [await validator(), await validator(), await validator()] as const;
    const blocks = peers.map(({ url }, at) => written({ name: `p${at}`, validate: `${url}/v` }));
    const bed = await authBed(quick(blocks.join('\n')));
    const asked = async () => {
      for (const { seen } of peers) seen.length = 0;
      const caller = await bed.caller('t');
      const name = typeof caller === 'object' ? caller.claims['auth_provider'] : undefined;
      return [name, ...peers.map(({ seen }) => seen.length)];
    };
    expect(await asked()).toEqual(['p0', 1, 0, 0]);
    peers[0].answer = { status: 401, body: {} };
    expect(await asked()).toEqual(['p1', 1, 1, 0]);
    // It fails as one that does not answer, and as one that says nonsense.
    peers[0].answer = (response) => void response.destroy();
    peers[1].answer = { body: { active: true } };
    expect(await asked()).toEqual(['p2', 1, 1, 1]);
    peers[2].answer = { body: { active: false } };
    expect(await asked()).toEqual([undefined, 1, 1, 1]);
  });
});

describe('a token of this service', () => {
  test('is not a credential of another: no provider sees one that is valid, has ended, or renews', async () => {
    const { bed, peer } = await asking();
    const { access_token: access, refresh_token: refresh } = (await bed.register()).body;
    expect(await bed.caller(access)).toMatchObject({ email: ana });
    expect(await bed.caller(refresh)).toBe('authentication_required');
    await bed.ask('logout', { token: access });
    expect(await bed.caller(access)).toBe('authentication_required');
    expect((await bed.ask('me', { token: access })).status).toBe(401);
    const later = (await bed.login(goodPassword)).body.access_token;
    bed.clock.pass(2 * 3_600_000);
    expect(await bed.caller(later)).toBe('authentication_required');
    expect((await bed.ask('me', { token: later })).status).toBe(401);
    expect(peer.seen).toEqual([]);
  });

  test('that is forged is a credential as any other', async () => {
    const { bed, peer } = await asking({ body: { active: false } });
    const { access_token: access } = (await bed.register()).body;
    expect(await bed.caller(`${access.slice(0, -6)}AAAAAA`)).toBe('authentication_required');
    expect(peer.seen).toHaveLength(1);
  });

  test('is not what another service makes with the same secret', async () => {
    const { SignJWT } = await import('jose');
    const { bed, peer } = await asking();
    const key = new TextEncoder().encode('a secret of at least thirty-two bytes');
    const foreign = await new SignJWT({ sub: 'x' }).setProtectedHeader({ alg: 'HS256' }).sign(key);
    expect(await bed.caller(foreign)).toMatchObject({ user_id: 'u1' });
    expect(peer.seen).toHaveLength(1);
  });
});

describe('A-01: nothing is kept or shared', () => {
  test('callers at the same time are each asked about, with one credential too', async () => {
    const held: (() => void)[] = [];
    const { bed, peer } = await asking(
      (response, { url }) => {
        held.push(() => response.end(JSON.stringify({ active: true, sub: url })));
      },
      { path: '/v/{token}' },
    );
    const callers = ['a', 'a', 'b'].map((credential) => bed.caller(credential));
    await vi.waitFor(() => expect(peer.seen).toHaveLength(3));
    for (const release of held.reverse()) release();
    expect(await Promise.all(callers)).toMatchObject([{ user_id: '/v/a' }, { user_id: '/v/a' }, { user_id: '/v/b' }]);
  });

  test('what a provider no longer accepts is refused at once', async () => {
    const { bed, peer } = await asking();
    expect(await bed.caller('t')).toMatchObject({ user_id: 'u1' });
    peer.answer = { status: 401, body: {} };
    expect(await bed.caller('t')).toBe('authentication_required');
  });

  test('a flood opens few connections, is refused beyond a number, and blocks nothing afterwards', async () => {
    const held: (() => void)[] = [];
    const { bed, peer } = await asking((response) => void held.push(() => response.writeHead(401).end()));
    const flood = Array.from({ length: mostUnderWay }, (_, at) => bed.caller(`wrong-${at}`));
    await vi.waitFor(() => expect(held.length).toBeGreaterThan(0));
    await expect(bed.caller('t')).rejects.toMatchObject({ code: 'overloaded', retryAfter: 1_000 });
    expect((await bed.ask('me', { token: 't' })).body.error.code).toBe('overloaded');
    expect(await peer.connections()).toBeLessThanOrEqual(16);
    peer.answer = { status: 401, body: {} };
    for (const release of held) release();
    expect(new Set(await Promise.all(flood))).toEqual(new Set(['authentication_required']));
    peer.answer = {};
    expect(await bed.caller('t')).toMatchObject({ user_id: 'u1' });
  });
});

describe('a caller without a session', () => {
  test('is refused by endpoints that need one, by name; what no provider accepts is 401', async () => {
    const { bed, peer } = await asking();
    for (const name of ['logout', 'sessions_list', 'password_change', 'mfa_setup'] as const)
      expect(await bed.ask(name, { token: 't' })).toMatchObject({
        status: 403,
        body: { error: { code: 'session_required' } },
      });
    peer.answer = { status: 401, body: {} };
    expect(await bed.ask('logout', { token: 't' })).toMatchObject({
      status: 401,
      body: { error: { code: 'unauthorized' } },
    });
    expect((await bed.ask('logout')).status).toBe(401);
  });

  test('reads who it is, and nothing of an account', async () => {
    const { bed } = await asking(
      { body: { active: true, sub: 'u1', mail: ana, groups: 'a,b' } },
      { response: `${usualResponse}\n email = "body.mail"\n roles = "body.groups"` },
    );
    await bed.register();
    const { status, body } = await bed.ask('me', { token: 't' });
    expect([status, body]).toEqual([
      200,
      { id: 'u1', email: ana, roles: ['a', 'b'], metadata: { auth_provider: 'one' } },
    ]);
  });

  test.each([
    ['required = "true"\n grace_period = "30d"', '[]', true],
    ['required = "admin_only"', '["Admin"]', true],
    ['required = "admin_only"', '["clerk"]', false],
    ['require_for = ["clerk"]\n grace_period = "30d"', '["clerk"]', true],
    ['required = "optional"', '["clerk"]', false],
  ])('S-27: with mfa { %s } and the roles %s it is refused: %s', async (lines, roles, isRefused) => {
    const { bed } = await asking(
      {},
      { response: `${usualResponse}\n roles = "${roles.replaceAll('"', "'")}"`, more: `mfa {\n ${lines}\n}` },
    );
    const caller = await bed.caller('t');
    expect(typeof caller === 'object' ? 'known' : caller).toBe(isRefused ? 'mfa_enrolment_required' : 'known');
    const { status, body } = await bed.ask('me', { token: 't' });
    expect([status, body.error?.code]).toEqual(isRefused ? [403, 'mfa_enrolment_required'] : [200, undefined]);
  });
});

test('a store that does not answer is not a credential of another service', async () => {
  const { bed, peer } = await asking(undefined, { more: '' });
  const { access_token: access } = (await bed.register()).body;
  vi.spyOn(bed.system.keys, 'checking').mockRejectedValue(new Failure('store_unavailable', 'the store is unavailable'));
  await expect(bed.caller(access)).rejects.toMatchObject({ code: 'store_unavailable' });
  expect(peer.seen).toEqual([]);
});
