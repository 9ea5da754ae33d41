import { expect, test } from 'vitest';
import type { Auth } from '../../../../foundation/contracts/message.ts';
import { errorText } from '../../../../foundation/observe/mask.ts';
import { noteFactor } from '../../../../platform/identity/caller.ts';
import { ManualClock } from '../../../../service/running/testing/manual-clock.ts';
import { serve } from '../../../plan/testing/service.ts';

const flow = (require: string) => `flow "f" {
  from {
    connector = "api"
    operation = "POST /x"
  }
  require {
    ${require}
  }
  validate { input = "t" }
  response { who = "auth.user_id" }
}
type "t" { name = string }`;
const caller = (roles: readonly string[], claims: Readonly<Record<string, unknown>> = {}): Auth => ({
  authenticated: true,
  user_id: 'u1',
  email: '',
  roles,
  claims,
});
const codeOf = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    return (error as { code: string }).code;
  }
  return 'passed';
};

test('checks the caller before the message', async () => {
  const service = await serve(flow(''));
  expect(codeOf(() => service.deliver('f', {}))).toBe('authentication_required');
  expect(codeOf(() => service.deliver('f', {}, { auth: caller([]) }))).toBe('input_invalid');
  expect(service.deliver('f', { name: 'a' }, { auth: caller([]) })).toMatchObject({ value: { who: 'u1' } });
});

test('requires one of the roles and all of the permissions, in which a star matches one segment', async () => {
  const service = await serve(flow('roles = ["admin", "clerk"]\n    permissions = ["orders:read", "orders:write"]'));
  const attempt = (auth: Auth) => codeOf(() => service.deliver('f', { name: 'a' }, { auth }));
  expect(attempt(caller(['visitor'], { permissions: ['orders:*'] }))).toBe('permission_denied');
  expect(attempt(caller(['clerk'], { permissions: ['orders:read'] }))).toBe('permission_denied');
  expect(attempt(caller(['clerk'], { permissions: ['*'] }))).toBe('permission_denied');
  expect(attempt(caller(['clerk'], { permissions: ['orders:*'] }))).toBe('passed');
  expect(attempt(caller(['admin'], { scope: 'orders:read orders:write' }))).toBe('passed');
  expect(attempt(caller(['admin'], { permissions: 'orders:read' }))).toBe('permission_denied');
});

test('what is missing is shown in logs and traces, and not to the caller', async () => {
  const service = await serve(flow('roles = ["admin", "clerk"]\n    permissions = ["orders:read", "orders:write"]'));
  const one = await serve(flow('roles = ["admin"]'));
  const refusalOf = async (refusing: typeof service, auth: Auth) => {
    try {
      await refusing.deliver('f', { name: 'a' }, { auth });
    } catch (error) {
      return { message: (error as Error).message, logged: errorText(error) };
    }
    return undefined;
  };
  const message = 'forbidden';
  expect(await refusalOf(service, caller(['visitor']))).toEqual({
    message,
    logged: 'forbidden: the caller needs one of the roles "admin", "clerk"',
  });
  expect(await refusalOf(one, caller([]))).toEqual({ message, logged: 'forbidden: the caller lacks the role "admin"' });
  expect(await refusalOf(service, caller(['clerk'], { scope: 'orders:read' }))).toEqual({
    message,
    logged: 'forbidden: the caller lacks the permission "orders:write"',
  });
});

test('S-27: a second factor must have been proved within the time that is required', async () => {
  const clock = new ManualClock();
  const service = await serve(flow('mfa = "15m"'), { clock });
  const attempt = (auth: Auth) => codeOf(() => service.deliver('f', { name: 'a' }, { auth }));
  const provedAt = (at: number) => {
    const auth = caller([]);
    noteFactor(auth, at);
    return attempt(auth);
  };
  const now = clock.now();
  expect(attempt({ ...caller([]), authenticated: false })).toBe('authentication_required');
  expect(attempt(caller([]))).toBe('mfa_step_up_required');
  expect(provedAt(now)).toBe('passed');
  expect(provedAt(now - 899_999)).toBe('passed');
  expect(provedAt(now - 900_000)).toBe('mfa_step_up_required');
  // It was proved before the clock was set back: how long ago is not known.
  expect(provedAt(now + 1)).toBe('mfa_step_up_required');
});
