import type { IncomingHttpHeaders } from 'node:http';
import { expect, test } from 'vitest';
import { takeProtocolToken } from './protocol-token.ts';

function taken(offered: string, more: IncomingHttpHeaders = {}) {
  const headers: IncomingHttpHeaders = { 'sec-websocket-protocol': offered, ...more };
  const rawHeaders = ['Host', 'a', 'SEC-WebSocket-Protocol', offered];
  takeProtocolToken({ headers, rawHeaders });
  return { headers, rawHeaders };
}

const base64url = (text: string) => Buffer.from(text).toString('base64url');

test.each([
  ['bearer.a.b.c, svc', 'Bearer a.b.c', 'svc'],
  ['chat, bearer.a.b.c,chat.v2', 'Bearer a.b.c', 'chat, chat.v2'],
  ['Bearer.a.b.c, svc', 'Bearer a.b.c', 'svc'],
  [`bearer.${base64url('k/+= .x'.replace(' ', ''))}, svc`, 'Bearer k/+=.x', 'svc'],
  [`svc, bearer.${base64url('a b')}`, `Bearer ${base64url('a b')}`, 'svc'],
  ['svc, bearer.a.b, bearer.c.d', 'Bearer a.b c.d', 'svc'],
  ['svc, bearer.', 'Bearer ', 'svc'],
])('%s: %s', (offered, authorization, left) =>
  expect(taken(offered)).toEqual({
    headers: { authorization, 'sec-websocket-protocol': left },
    rawHeaders: ['Host', 'a', 'Sec-WebSocket-Protocol', left],
  }),
);

test('a token alone leaves no sub-protocol', () =>
  expect(taken('bearer.a.b.c')).toEqual({ headers: { authorization: 'Bearer a.b.c' }, rawHeaders: ['Host', 'a'] }));

test('a header is not replaced, and the sub-protocol is taken all the same', () =>
  expect(taken('svc, bearer.a.b.c', { authorization: 'Bearer x' }).headers).toEqual({
    authorization: 'Bearer x',
    'sec-websocket-protocol': 'svc',
  }));

test('other sub-protocols are left as they are', () =>
  expect(taken('bearer,svc').headers).toEqual({ 'sec-websocket-protocol': 'bearer,svc' }));
