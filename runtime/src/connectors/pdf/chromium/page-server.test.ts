import { once } from 'node:events';
import { mkdirSync, symlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { folderWith } from '../../../../../test/support/folder.ts';
import { PageServer, strictPolicy } from './page-server.ts';

/** A proxy with a page, and what is sent to it as it is. */
async function served() {
  const folder = folderWith({ 'secret.txt': 'secret' });
  const root = join(folder, 'templates');
  mkdirSync(root);
  symlinkSync('..', join(root, 'up'));
  symlinkSync('/etc', join(root, 'etc'));
  const server = new PageServer({ html: '<p>page</p>', root, template: 'a b.html' }, strictPolicy);
  await server.open();
  const [host = '', port] = server.address.split(':');
  const send = async (line: string, headers = '') => {
    const socket = connect(Number(port), host);
    await once(socket, 'connect');
    socket.write(`${line} HTTP/1.1\r\nhost: document.invalid\r\nconnection: close\r\n${headers}\r\n`);
    return text(socket).catch(() => '');
  };
  const base = server.url.slice(0, server.url.lastIndexOf('/'));
  return { server, send, base, [Symbol.dispose]: () => server.close() };
}

const statusOf = (answer: string) => answer.split(' ')[1];

test('the page has its policy', async () => {
  using proxy = await served();
  const answer = await proxy.send(`GET ${proxy.server.url}`);
  expect([statusOf(answer), answer.includes('<p>page</p>'), proxy.server.isLeft]).toEqual(['200', true, false]);
  expect(answer).toContain(`content-security-policy: ${strictPolicy}\r\n`);
});

test('S-81: whatever else is asked for is refused', async () => {
  using proxy = await served();
  const { base, send } = proxy;
  const places = [
    '../secret.txt',
    '%2e%2e/secret.txt',
    '..%2fsecret.txt',
    '..%5csecret.txt',
    '..\\secret.txt',
    'up/secret.txt',
    'etc/passwd',
    '/etc/passwd',
    '%2fetc%2fpasswd',
    'a%00.png',
    '%',
    '%c0%ae%c0%ae/secret.txt',
    '',
    '.',
    'missing.png',
    'x'.repeat(8_000),
  ];
  const requests = [
    ...places.map((place) => `GET ${base}/${place}`),
    `POST ${proxy.server.url}`,
    'GET http://document.invalid/a%20b.html',
    `GET http://document.invalid/${'0'.repeat(32)}/a%20b.html`,
    'GET http://169.254.169.254/latest/meta-data/',
    'GET file:///etc/passwd',
    'GET /etc/passwd',
    'GET *',
  ];
  const answers = await Promise.all(requests.map((line) => send(line)));
  expect(answers.map((answer, at) => [requests[at], ['403', '400'].includes(statusOf(answer) ?? '')])).toEqual(
    requests.map((line) => [line, true]),
  );
  expect(answers.join('')).not.toMatch(/secret|root:/);
  // Neither a tunnel nor another protocol.
  expect(await send('CONNECT example.com:443')).toBe('');
  expect(await send(`GET ${proxy.server.url}`, 'connection: upgrade\r\nupgrade: websocket\r\n')).not.toContain('101');
});

test('a browser that is led to another page is noticed', async () => {
  using proxy = await served();
  const answer = await proxy.send('GET http://elsewhere.example/', 'accept: text/html,*/*\r\n');
  expect([statusOf(answer), proxy.server.isLeft]).toEqual(['403', true]);
});
