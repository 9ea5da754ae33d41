import { expect, test } from 'vitest';
import { errorText, hideCredentials, printable } from './mask.ts';

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
