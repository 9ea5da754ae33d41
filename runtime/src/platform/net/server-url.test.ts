import { expect, test } from 'vitest';
import { hostAndPort, readServerUrl, serverAddress } from './server-url.ts';

test('an address is taken apart and decoded', () => {
  const { options, ...parts } = readServerUrl('amqps://a%40b:p%2Fq@[::1]:7/v%2Fw?heartbeat=1');
  expect([parts, [...options]]).toEqual([
    {
      protocol: 'amqps',
      host: '::1',
      port: 7,
      username: 'a@b',
      password: 'p/q',
      path: 'v/w',
      target: '/v%2Fw?heartbeat=1',
    },
    [['heartbeat', '1']],
  ]);
  expect(hostAndPort('::1', 7)).toBe('[::1]:7');
});

test.each(['tcp://a:pass/word@h', 'tcp://a:pass%zz@h', 'pass'])(
  'A-11: one that cannot be read is not shown',
  (text) => {
    expect(() => readServerUrl(text)).toThrow(/^its url cannot be read; reserved characters of the password/);
  },
);

test('a scheme means a protocol and its port; a tls block makes it a secure one', () => {
  const secure = { protocol: 'xs', port: 2 } as const;
  const schemes = { x: { protocol: 'x', port: 1, secure }, xs: secure } as const;
  const parts = (written: Parameters<typeof serverAddress>[0]) => {
    const { scheme, protocol, isSecure, text, username } = serverAddress<'x' | 'xs'>(written, schemes);
    return [scheme, protocol, isSecure, text, username];
  };
  expect(parts({})).toEqual(['x', 'x', false, 'localhost:1', undefined]);
  expect(parts({ host: 'h', port: 7, username: 'a', tls: { enabled: true } })).toEqual(['x', 'xs', true, 'h:7', 'a']);
  expect(parts({ url: 'xs://b@[::1]', host: 'h', username: 'a' })).toEqual(['xs', 'xs', true, '[::1]:2', 'b']);
});
