import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Auth } from '../../../foundation/contracts/message.ts';
import { callerOf } from '../../../platform/identity/caller.ts';
import { authBed, quick } from '../testing/bed.ts';
import { asking, usualResponse, validator, written } from './testing/validator.ts';

const mapped = `${usualResponse}\n email = "body.mail"\n roles = "body.groups"\n token = "body.session"`;

describe('a caller', () => {
  test('is who the provider says, with the whole body as claims', async () => {
    const body = {
      active: true,
      sub: 'u1',
      mail: 'ana@example.test',
      groups: ['admin', 7],
      session: 'abc',
      auth_provider: 'x',
    };
    const { bed, peer } = await asking({ body }, { response: mapped, name: 'company' });
    expect(await bed.caller('opaque')).toEqual({
      authenticated: true,
      user_id: 'u1',
      email: 'ana@example.test',
      roles: ['admin'],
      claims: { ...body, session_token: 'abc', auth_provider: 'company' },
    });
    expect(peer.seen).toEqual([
      {
        method: 'GET',
        url: '/v',
        headers: expect.objectContaining({
          authorization: 'Bearer opaque',
          accept: 'application/json',
          'user-agent': 'svc/test',
        }),
      },
    ]);
  });

  test.each([
    ['a list', ['a', 'b', 1, null], ['a', 'b']],
    ['a text with commas', ' a, b ,,', ['a', 'b']],
    ['a number', 5, []],
    ['nothing', undefined, []],
  ])('has roles from %s', async (_what, groups, roles) => {
    const { bed } = await asking({ body: { active: true, sub: 'u1', groups } }, { response: mapped });
    expect(await bed.caller('t')).toMatchObject({ roles });
  });

  test.each([
    ['a text', 'u1', 'u1'],
    ['a whole number', 7, '7'],
    ['a number beyond 2^53', '§9007199254740993', '9007199254740993'],
    ['an empty text', '', undefined],
    ['no member', undefined, undefined],
    ['a fraction', 1.5, undefined],
    ['true', true, undefined],
    ['a list', ['u1'], undefined],
    ['what is too long', 'x'.repeat(513), undefined],
    ['half of a character', '\ud800', undefined],
  ])('has a user id from %s, or is no one', async (_what, sub, expected) => {
    const body = JSON.stringify({ active: true, sub }).replace(/"§(\d+)"/, '$1');
    const { bed } = await asking({ body });
    const caller = await bed.caller('t');
    expect(typeof caller === 'object' ? caller.user_id : undefined).toBe(expected);
  });

  test('A-01: of one provider is not one of another, though they answer the same', async () => {
    const peer = await validator();
    const ask = async (name: string) => {
      const bed = await authBed(quick(written({ name, validate: `${peer.url}/v` })));
      return callerOf((await bed.caller('t')) as Auth);
    };
    expect(await ask('one')).toBe(await ask('one'));
    expect(await ask('one')).not.toBe(await ask('two'));
  });
});

describe('S-46: success', () => {
  test.each([
    ['body.active', true, true],
    ['body.active', false, false],
    ['body.active', 1, false],
    ['body.active', 'true', false],
    ['body.active', null, false],
    ['body.active', [true], false],
    ['body.active', undefined, false],
    ['body.active.deep', true, false],
  ])('`%s` of %j is accepted: %s', async (success, active, isAccepted) => {
    const { bed } = await asking(
      { body: { active, sub: 'u1' } },
      { response: `success = "${success}"\n user_id = "body.sub"` },
    );
    expect(typeof (await bed.caller('t')) === 'object').toBe(isAccepted);
  });

  test('is read from the status too', async () => {
    const { bed, peer } = await asking({}, { response: 'success = "status == 200"\n user_id = "body.sub"' });
    expect(await bed.caller('t')).toMatchObject({ user_id: 'u1' });
    for (const status of [201, 401, 403, 500]) {
      peer.answer = { status };
      expect(await bed.caller('t')).toBe('authentication_required');
    }
  });
});

describe('S-46: the credential is data', () => {
  test.each([
    ['/v/{token}', '/v/a%2F..%2F..%2Fadmin%3Fx%3D%23'],
    ['/v?t={token}&u=1', '/v?t=a%2F..%2F..%2Fadmin%3Fx%3D%23&u=1'],
    ['/{token}/v?t={token}', '/a%2F..%2F..%2Fadmin%3Fx%3D%23/v?t=a%2F..%2F..%2Fadmin%3Fx%3D%23'],
  ])('encoded in %s', async (path, url) => {
    const { bed, peer } = await asking({}, { path });
    await bed.caller('a/../../admin?x=#');
    expect(peer.seen.map((request) => request.url)).toEqual([url]);
  });

  test('as it is in headers, patterns of replacements too', async () => {
    const { bed, peer } = await asking({}, { request: '{ X-Token = "{token}", X-Two = "a {token} {token}" }' });
    await bed.caller("$&$'$`%2e%0d%0a{token}");
    expect(peer.seen[0]?.headers).toMatchObject({
      'x-token': "$&$'$`%2e%0d%0a{token}",
      'x-two': "a $&$'$`%2e%0d%0a{token} $&$'$`%2e%0d%0a{token}",
    });
  });

  test.each(['.', '..'])('and "%s" leads to no other path: the provider is not asked', async (credential) => {
    const { bed, peer } = await asking({}, { path: '/admin/{token}' });
    expect(await bed.caller(credential)).toBe('authentication_required');
    expect(peer.seen).toEqual([]);
    expect(await bed.caller(`${credential}x`)).toMatchObject({ user_id: 'u1' });
  });

  test('and completes no dot segment that was begun', async () => {
    const { bed, peer } = await asking({}, { path: '/admin/.{token}/x' });
    expect(await bed.caller('.')).toBe('authentication_required');
    expect(peer.seen).toEqual([]);
  });

  test.each(['a\r\nX-Admin: 1', 'a\nb', 'a\0b', 'a\tb', 'é', '\u{1f600}', '\ud800', '\u007f'])(
    'and %j is sent nowhere',
    async (credential) => {
      const { bed, peer } = await asking({}, { path: '/v?t={token}' });
      expect(await bed.caller(credential)).toBe('authentication_required');
      expect(peer.seen).toEqual([]);
    },
  );
});

describe('what is answered', () => {
  test.each([
    ['a list', '[1]', {}],
    ['a text', '"a"', {}],
    ['HTML', '<html>', {}],
    ['nothing', '', {}],
    ['JSON that is cut', '{"sub": "u1"', {}],
    ['names of prototypes', '{"__proto__": {"admin": true}, "constructor": 1}', { ['__proto__']: 0, constructor: 1 }],
  ])('may be %s: the body has what is an object', async (_what, body, claims) => {
    const { bed } = await asking({ body }, { response: `success = "status == 200"\n user_id = "'fixed'"` });
    const caller = (await bed.caller('t')) as Auth;
    expect(Object.keys(caller.claims).sort()).toEqual([...Object.keys(claims), 'auth_provider'].sort());
    expect(caller.claims['admin']).toBe(undefined);
    expect(({} as { readonly admin?: boolean }).admin).toBe(undefined);
  });

  test('S-46: is read up to 1 MiB, also of what is compressed', async () => {
    const head = '{"active":true,"sub":"u1","pad":"';
    const padded = (size: number) => `${head}${'x'.repeat(size - head.length - 2)}"}`;
    const { bed, peer } = await asking({ body: padded(1_048_576) });
    expect(await bed.caller('t')).toMatchObject({ user_id: 'u1' });
    peer.answer = { body: padded(1_048_577) };
    expect(await bed.caller('t')).toBe('authentication_required');
    peer.answer = { headers: { 'content-encoding': 'gzip' }, body: gzipSync(padded(50_000_000)) };
    expect(await bed.caller('t')).toBe('authentication_required');
    peer.answer = { body: `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}` };
    expect(await bed.caller('t')).toBe('authentication_required');
    peer.answer = {};
    expect(await bed.caller('t')).toMatchObject({ user_id: 'u1' });
  });

  test('is not followed elsewhere', async () => {
    const { bed, peer } = await asking(
      { status: 302, headers: { location: '/login' } },
      { response: `success = "true"\n user_id = "'fixed'"` },
    );
    for (const status of [300, 301, 302, 303, 307, 308]) {
      peer.answer = { status, headers: { location: '/login' } };
      expect(await bed.caller('t')).toBe('authentication_required');
    }
    expect(new Set(peer.seen.map(({ url }) => url))).toEqual(new Set(['/v']));
    expect(bed.log.filter(({ level }) => level === 'warn')).toEqual([
      {
        level: 'warn',
        message: 'a provider says nothing usable about a credential: its caller is not recognised',
        fields: { provider: 'one', error: `${peer.url} redirects (HTTP 300), which is not followed` },
      },
    ]);
  });
});

test('headers that are written take the place of the usual ones', async () => {
  const { bed, peer } = await asking({}, { request: '{ Accept = "*/*", User-Agent = "{token}" }' });
  await bed.caller('t');
  expect(peer.seen[0]?.headers).toMatchObject({ accept: '*/*', 'user-agent': 't' });
});
