import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { HttpSender } from '../http.ts';
import { folderWith } from '../testing/opened.ts';
import { Identities } from './identities.ts';
import { signInService, tokenOf } from './testing/service.ts';
import { type SecretBox, Vault } from './vault.ts';

const signIn = {
  login: 'POST /auth/login',
  refresh: 'POST /auth/refresh',
  mfa_verify: 'POST /auth/mfa/verify',
};

/** Seals with a letter that another keychain does not have. */
const box = (letter: string): SecretBox => ({
  seal: (text) => Buffer.from(letter + Buffer.from(text).toString('hex')),
  open: (sealed) => {
    const text = Buffer.from(sealed).toString();
    if (!text.startsWith(letter)) throw new Error('sealed elsewhere');
    return Buffer.from(text.slice(1), 'hex').toString();
  },
});

/** Identities of a folder whose service listens at these addresses, on a clock of the test. */
function identitiesOf(
  addresses: readonly string[],
  options: { box?: SecretBox; settings?: string; directory?: string } = {},
) {
  const clock = { now: 0 };
  const directory = options.directory ?? folderWith();
  const settings = options.settings ?? folderWith();
  const sender = new HttpSender();
  const identities = new Identities({
    projects: { required: { directory, name: 'p', trusted: true } },
    vault: new Vault(settings, options.box),
    sender: sender.services,
    addresses: async () => addresses,
    elapsed: () => clock.now,
  });
  const { services } = identities;
  let last = 0;
  const send = (identity: string, path = '/me', more = {}) =>
    services['http.send']({
      id: `r${++last}`,
      method: 'GET',
      url: `${addresses[0]}${path}`,
      identity,
      signIn,
      ...more,
    });
  const add = async (password = 'right', name = 'ana@example.test') =>
    (await services['identities.add']({ name, password })).identity.id;
  const list = async () => (await services['identities.list']({})).identities;
  return { clock, directory, settings, services, send, add, list, identities };
}

describe('a request as an identity', () => {
  test('carries a token that is fetched when it is needed, once for all who need it', async () => {
    const service = await signInService();
    const { send, add } = identitiesOf([service.address]);
    const id = await add();
    const answers = await Promise.all([send(id), send(id), send(id)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    await send(id);
    expect(service.paths()).toEqual(['/auth/login', '/me', '/me', '/me', '/me']);
    expect(service.received[0]?.body).toEqual({ email: 'ana@example.test', password: 'right' });
  });

  test('refreshes the token before it ends, by a clock that no one sets', async () => {
    const service = await signInService({ expiresIn: 900 });
    const { send, add, clock } = identitiesOf([service.address]);
    const id = await add();
    await send(id);
    clock.now = 869_000;
    await send(id);
    clock.now = 871_000;
    await send(id);
    expect(service.paths()).toEqual(['/auth/login', '/me', '/me', '/auth/refresh', '/me']);
    expect(service.received[3]?.body).toEqual({ refresh_token: 'refresh-1' });
  });

  test('signs in again where the refresh token is not taken', async () => {
    const service = await signInService();
    const { send, add, clock } = identitiesOf([service.address]);
    const id = await add();
    await send(id);
    service.refreshes.clear();
    clock.now = 900_000;
    expect((await send(id)).status).toBe(200);
    expect(service.paths()).toEqual(['/auth/login', '/me', '/auth/refresh', '/auth/login', '/me']);
  });

  test('signs in again once after a 401, and not for a token that is new', async () => {
    const service = await signInService();
    const { send, add } = identitiesOf([service.address]);
    const id = await add();
    await send(id);
    service.valid.clear();
    service.refreshes.clear();
    expect((await send(id)).status).toBe(200);
    expect(service.paths().slice(2)).toEqual(['/me', '/auth/refresh', '/auth/login', '/me']);
    const pasted = identitiesOf([service.address]);
    const { identity } = await pasted.services['identities.add']({ name: 'b', token: `Bearer ${tokenOf({})}` });
    service.received.splice(0);
    expect((await pasted.send(identity.id)).status).toBe(401);
    expect(service.received.map(({ path, authorization }) => [path, authorization])).toEqual([
      ['/me', `Bearer ${tokenOf({})}`],
    ]);
  });

  test('two requests that are refused at once sign in once', async () => {
    const service = await signInService();
    const { send, add } = identitiesOf([service.address]);
    const id = await add();
    await send(id);
    service.valid.clear();
    expect((await Promise.all([send(id), send(id)])).map(({ status }) => status)).toEqual([200, 200]);
    expect(service.paths().filter((path) => path === '/auth/refresh' || path === '/auth/login')).toEqual([
      '/auth/login',
      '/auth/refresh',
    ]);
  });

  test('goes to the service of the project and nowhere else', async () => {
    const [service, other] = [await signInService(), await signInService()];
    const { send, add } = identitiesOf([service.address]);
    const id = await add();
    for (const url of [
      `${other.address}/me`,
      `${service.address}@evil.test/me`,
      service.address.replace('127.0.0.1', 'localhost'),
      'nothing',
    ])
      await expect(send(id, '', { url })).rejects.toThrow('ana@example.test is an identity of the service at');
    expect([service.received, other.received]).toEqual([[], []]);
    await expect(identitiesOf([]).send('x')).rejects.toThrow('this identity is not kept any more');
    const stopped = identitiesOf([]);
    await expect(stopped.send(await stopped.add(), '', { url: `${service.address}/me` })).rejects.toThrow(
      'start it first',
    );
  });

  test('says what the service has against it, and nothing of the password', async () => {
    const service = await signInService();
    const { send, add } = identitiesOf([service.address]);
    const failure = (await send(await add('wrong secret')).catch((error: Error) => error)) as Error;
    expect(failure.message).toBe('ana@example.test was refused: 401 invalid_credentials, It is invalid_credentials.');
    expect(service.paths()).toEqual(['/auth/login']);
  });

  test('has no Authorization header of its own, and needs an endpoint to sign in at', async () => {
    const service = await signInService();
    const { send, add } = identitiesOf([service.address]);
    const id = await add();
    await expect(send(id, '/me', { headers: { AUTHORIZATION: 'Basic x' } })).rejects.toThrow('Authorization header');
    await expect(send(id, '/me', { signIn: {} })).rejects.toThrow('this service has no endpoint login');
    await expect(send(id, '/me', { signIn: { login: 'POST http://evil.test' } })).rejects.toThrow('no endpoint login');
    expect(service.received).toEqual([]);
  });

  test.each([
    ['a token that would end the header', { access_token: 'a\r\nx: y' }],
    ['a token that is an object', { access_token: { a: 1 } }],
    ['a token of no length', { access_token: '' }],
    ['a token that is too long', { access_token: 'a'.repeat(16_385) }],
    ['nothing', undefined],
    ['a list', [{ access_token: 'a' }]],
  ])('refuses %s, and repeats nothing of it', async (_, body) => {
    const service = await signInService({ answer: body });
    const { send, add } = identitiesOf([service.address]);
    await expect(send(await add())).rejects.toThrow(
      'ana@example.test was refused: 200 without an access token that can be sent',
    );
    expect(service.paths()).toEqual(['/auth/login']);
  });

  test('can be cancelled while the sign-in has no answer', async () => {
    const service = await signInService({ silent: true });
    const { services, send, add } = identitiesOf([service.address]);
    const answer = send(await add());
    await until(() => service.received.length === 1);
    await services['http.cancel']({ id: 'r1' });
    await expect(answer).rejects.toThrow('the request was cancelled');
  });
});

describe('a second factor', () => {
  test('is asked for before the request is sent, and its code completes the sign-in', async () => {
    const service = await signInService({ factor: true });
    const { services, send, add } = identitiesOf([service.address]);
    const id = await add();
    expect(await send(id)).toMatchObject({ status: 428, body: '', factor: ['totp'] });
    await expect(services['identities.prove']({ id, code: '000000' })).rejects.toThrow(
      'the second factor was refused: 401 invalid_code, It is invalid_code.',
    );
    await services['identities.prove']({ id, code: '123456' });
    expect((await send(id)).status).toBe(200);
    expect(service.paths()).toEqual(['/auth/login', '/auth/mfa/verify', '/auth/mfa/verify', '/me']);
    expect(service.received[2]?.body).toEqual({ mfa_token: 'challenge', code: '123456' });
    await expect(services['identities.prove']({ id, code: '123456' })).rejects.toThrow('no sign-in waits');
  });
});

describe('what is kept', () => {
  test('is sealed beside the settings where there is a keychain, readable by no other one', async () => {
    const service = await signInService();
    const own = identitiesOf([service.address], { box: box('a') });
    await own.send(await own.add());
    await own.services['identities.add']({ name: 'bot', token: tokenOf({ sub: 'bot' }) });
    expect((await own.services['identities.list']({})).place).toBe('keychain');
    expect([readdirSync(own.directory), readdirSync(own.settings)]).toEqual([[], ['identities.json']]);
    const text = readFileSync(join(own.settings, 'identities.json'), 'utf8');
    for (const secret of ['right', 'eyJ', 'refresh-1', 'ana@example.test']) expect(text).not.toContain(secret);
    const again = identitiesOf([service.address], { box: box('a'), settings: own.settings, directory: own.directory });
    expect((await again.list()).map(({ name, kind, hasToken }) => [name, kind, hasToken])).toEqual([
      ['ana@example.test', 'password', false],
      ['bot', 'token', true],
    ]);
    const foreign = identitiesOf([service.address], {
      box: box('b'),
      settings: own.settings,
      directory: own.directory,
    });
    expect(await foreign.list()).toEqual([]);
    const project = identitiesOf([service.address], { box: box('a'), settings: own.settings });
    expect(await project.list()).toEqual([]);
  });

  test('is in memory alone without one', async () => {
    const service = await signInService();
    const { services, send, add, directory, settings } = identitiesOf([service.address]);
    await send(await add());
    expect((await services['identities.list']({})).place).toBe('memory');
    expect([readdirSync(directory), readdirSync(settings)]).toEqual([[], []]);
  });

  test('shows what a token says, never the token', async () => {
    const service = await signInService();
    const { list, send, add } = identitiesOf([service.address]);
    const id = await add();
    expect(await list()).toEqual([
      { id, name: 'ana@example.test', kind: 'password', hasToken: false, token: undefined },
    ]);
    const answer = await send(id);
    const [shown] = await list();
    expect(shown?.token).toEqual({ header: { alg: 'HS256', typ: 'JWT' }, claims: { sub: 'u1', jti: '1' } });
    for (const [token = ''] of [...service.valid].map((each) => [each]))
      expect(JSON.stringify([shown, answer])).not.toContain(token.split('.')[2]);
  });

  test('is forgotten with the identity, and replaced by one of the same name', async () => {
    const service = await signInService();
    const { services, send, add, list, settings } = identitiesOf([service.address], { box: box('a') });
    const id = await add();
    await send(id);
    expect(await add('wrong')).toBe(id);
    await expect(send(id)).rejects.toThrow('invalid_credentials');
    await services['identities.remove']({ id });
    expect([await list(), readdirSync(settings)]).toEqual([[], []]);
    await expect(send(id)).rejects.toThrow('this identity is not kept any more');
    await expect(services['identities.prove']({ id, code: '1' })).rejects.toThrow('not kept any more');
  });

  test('is written by two windows at once without a loss', async () => {
    const [settings, directory] = [folderWith(), folderWith()];
    const windows = [0, 1].map(() => identitiesOf([], { box: box('a'), settings, directory }));
    await Promise.all(windows.flatMap(({ add }, at) => [0, 1, 2].map((each) => add('p', `${at}-${each}`))));
    expect((await windows[0]?.list())?.map(({ name }) => name).sort()).toEqual([
      '0-0',
      '0-1',
      '0-2',
      '1-0',
      '1-1',
      '1-2',
    ]);
  });

  test('is one where the same name comes twice at once', async () => {
    const { add, list } = identitiesOf([], { box: box('a') });
    const [first, second] = await Promise.all([add('p'), add('q')]);
    expect([first === second, (await list()).length]).toEqual([true, 1]);
  });

  test.each([
    [{ name: ' ', password: 'p' }, 'the name is empty'],
    [{ name: 'a', password: '' }, 'the password is empty'],
    [{ name: 'a' }, 'an identity has a password or a token'],
    [{ name: 'a', password: 'p', token: 't' }, 'an identity has a password or a token'],
    [{ name: 'a', token: 'a b' }, 'a token has no blanks in it'],
    [{ name: 'a', token: 'a\r\nx: y' }, 'a token has no blanks in it'],
    [{ name: 'a', password: 'p'.repeat(8_193) }, 'the password is longer than 8192 characters'],
    [{ name: 'a'.repeat(255), password: 'p' }, 'the name is longer than 254 characters'],
  ])('%j is refused', async (params, why) => {
    await expect(identitiesOf([]).services['identities.add'](params)).rejects.toThrow(why);
  });

  test('is forgotten in one window when it is in another, and replaced too', async () => {
    const service = await signInService();
    const own = { box: box('a'), settings: folderWith(), directory: folderWith() };
    const [one, two] = [identitiesOf([service.address], own), identitiesOf([service.address], own)];
    const id = await one.add();
    expect((await two.send(id)).status).toBe(200);
    await one.add('wrong');
    await expect(two.send(id)).rejects.toThrow('invalid_credentials');
    await one.services['identities.remove']({ id });
    await expect(two.send(id)).rejects.toThrow('not kept any more');
    expect(await two.list()).toEqual([]);
  });

  test('has a bound', async () => {
    const { add } = identitiesOf([]);
    for (let number = 0; number < 100; number++) await add('p', `a${number}`);
    await expect(add('p', 'one more')).rejects.toThrow('a project has 100 identities at most');
    expect(await add('q', 'a7')).toBeDefined();
  });
});
