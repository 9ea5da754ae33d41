import { expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import type { Identity } from '../../../shared/identity.ts';
import type { Bridge } from '../../../shared/services.ts';
import { outlineOf, shop } from '../../canvas/testing.ts';
import { Identities } from './identities.ts';

const outline = outlineOf(
  `${shop}auth {\n  secret = "a secret of at least thirty-two bytes"\n  endpoints {\n    login {\n      path = "/enter"\n    }\n  }\n}\n`,
);

/** A host that keeps names, and accepts one code. */
function host() {
  const kept: Identity[] = [];
  const call = async (name: string, params: { id?: string; name?: string; code?: string }) => {
    if (name === 'identities.add') {
      const identity = {
        id: `i${kept.length}`,
        name: params.name ?? '',
        kind: 'password',
        hasToken: false,
      } as Identity;
      kept.push(identity);
      return { identity };
    }
    if (name === 'identities.remove') kept.splice(0, 1);
    if (name === 'identities.prove' && params.code !== '123456') throw new Error('401 invalid_code');
    return name === 'identities.list' ? { identities: [...kept], place: 'keychain' } : {};
  };
  return new Identities({ call } as unknown as Pick<Bridge, 'call'>);
}

test('a request is sent as the identity that was chosen for it, at the endpoints of the project', async () => {
  const identities = host();
  const { id } = await identities.add('ana', { password: 'p' });
  expect(identities.sentAs('a.json', outline)).toBeUndefined();
  identities.choose('a.json', id);
  expect(identities.sentAs('a.json', outline)).toMatchObject({
    id,
    name: 'ana',
    signIn: { login: 'POST /auth/enter', refresh: 'POST /auth/refresh', mfa_verify: 'POST /auth/mfa/verify' },
  });
  expect(identities.sentAs('b.json', outline)).toBeUndefined();
  identities.choose('a.json', undefined);
  expect(identities.sentAs('a.json', outline)).toBeUndefined();
});

test('a factor is proved where the project has it proved, and nowhere in one without factors', async () => {
  const identities = host();
  const { id } = await identities.add('ana', { password: 'p' });
  identities.choose('a.json', id);
  const signInOf = (lines: string) =>
    identities.sentAs(
      'a.json',
      outlineOf(`${shop}auth {\n  secret = "a secret of at least thirty-two bytes"\n${lines}}\n`),
    )?.signIn;
  const moved = signInOf('  endpoints {\n    mfa_verify {\n      path = "/second"\n    }\n  }\n');
  expect(moved).toEqual({ login: 'POST /auth/login', refresh: 'POST /auth/refresh', mfa_verify: 'POST /auth/second' });
  const without = signInOf('  preset = "development"\n');
  expect(without).toEqual({ login: 'POST /auth/login', refresh: 'POST /auth/refresh' });
});

test('one that is forgotten is chosen nowhere', async () => {
  const identities = host();
  const { id } = await identities.add('ana', { password: 'p' });
  identities.choose('a.json', id);
  await identities.remove(id);
  expect([identities.kept.value.identities, [...identities.chosen.value]]).toEqual([[], []]);
});

test('a second factor is asked for until its code is right, or the person gives up', async () => {
  const identities = host();
  const { id } = await identities.add('ana', { password: 'p' });
  identities.choose('a.json', id);
  const as = identities.sentAs('a.json', outline);
  const proved = as?.prove(['totp']);
  await until(() => identities.question.value !== undefined);
  expect(identities.question.value).toMatchObject({ identity: { id, name: 'ana' }, methods: ['totp'] });
  await expect(identities.prove('000000')).rejects.toThrow('401 invalid_code');
  expect(identities.question.value).toBeDefined();
  await identities.prove('123456');
  expect([await proved, identities.question.value]).toEqual([true, undefined]);
  const given = as?.prove([]);
  await until(() => identities.question.value !== undefined);
  await identities.forget();
  expect(await given).toBe(false);
});

test('of two questions the later one is asked', async () => {
  const identities = host();
  const { id } = await identities.add('ana', { password: 'p' });
  identities.choose('a.json', id);
  const as = identities.sentAs('a.json', outline);
  const first = as?.prove(['first']);
  const second = as?.prove(['second']);
  expect(await first).toBe(false);
  await until(() => identities.question.value?.methods[0] === 'second');
  await identities.prove('123456');
  expect(await second).toBe(true);
});
