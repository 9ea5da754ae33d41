import { expect, test } from 'vitest';
import { errorText, hideCredentials, namesCredential, printable } from './mask.ts';

test('credentials of a connector are masked wherever they come back, whatever says them', () => {
  hideCredentials({
    user: 'app-user',
    password: 'planted-password',
    url: 'amqp://user:planted%21url@host/x',
    pool: { nested: { api_key: 'planted-key' } },
    pwd: 'short',
  });
  const error = new Error('login failed for app-user with planted-password', {
    cause: new Error('the server said "planted!url" and planted%21url'),
  });
  expect(errorText(error)).toBe('login failed for app-user with ***: the server said "***" and ***');
  expect(printable({ said: ['planted-key is not valid', 'short'], error })).toEqual({
    said: ['*** is not valid', 'short'],
    error: 'login failed for app-user with ***: the server said "***" and ***',
  });
});

test.each(['password', 'reset_token', 'refreshToken', 'access_token', 'reset_url', 'api-key', 'Authorization', 'dsn'])(
  'A-11: a field named %s holds a credential',
  (name) => {
    expect(namesCredential(name)).toBe(true);
  },
);

test.each(['tokens_used', 'url', 'preset', 'description', 'passenger'])(
  'a field named %s holds no credential',
  (name) => {
    expect(namesCredential(name)).toBe(false);
  },
);
