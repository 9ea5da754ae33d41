import { request } from 'node:http';
import { join } from 'node:path';
import { RpcClient, socketChannel } from '@svc/protocol/wire';
import { describe, expect, onTestFinished, test } from 'vitest';
import WebSocket from 'ws';
import { until } from '../../../../test/support/until.ts';
import { contentPolicy } from '../assets.ts';
import { environment, folderWith, templatesDirectory } from '../testing/opened.ts';
import { startBrowserHost } from './server.ts';

async function start(grace?: number) {
  const built = folderWith({ 'renderer/index.html': '<title>studio</title>', 'renderer/assets/a-1.js': '1', x: '' });
  const directory = folderWith({ 'service.hcl': 'service {}' });
  const host = await startBrowserHost({
    rendererDirectory: join(built, 'renderer'),
    templatesDirectory,
    settingsDirectory: folderWith(),
    environment: environment(),
    program: { executable: process.execPath, args: [] },
    directory,
    grace,
  });
  onTestFinished(() => host.close());
  const { port, searchParams } = new URL(host.url);
  return { url: host.url, directory, port: Number(port), token: searchParams.get('token')! };
}

interface Reply {
  readonly status: number | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

/** A request as written: paths are not made plain, and any Host may be named. */
function get(port: number, path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      let body = '';
      response.on('data', (piece) => (body += piece));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body }));
    });
    sent.on('error', reject).end();
  });
}

async function signIn({ port, token }: { port: number; token: string }): Promise<string> {
  const { headers } = await get(port, `/?token=${token}`);
  return headers['set-cookie']![0]!.split(';')[0]!;
}

/** The bridge as a page opens it; rejects with the status when it is refused. */
function bridge(port: number, headers: Record<string, string>): Promise<RpcClient> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/bridge`, { headers });
    socket.on('open', () => resolve(new RpcClient(socketChannel(socket as never))));
    socket.on('unexpected-response', (_, { statusCode }) => reject(new Error(String(statusCode))));
    socket.on('error', reject);
    onTestFinished(() => socket.terminate());
  });
}

const own = (port: number, cookie: string) => ({ cookie, origin: `http://127.0.0.1:${port}` });

describe('the studio in a browser', () => {
  test('lets in one browser with the token, once', async () => {
    const studio = await start();
    const first = await get(studio.port, `/?token=${studio.token}`);
    expect([first.status, first.headers.location, first.headers['set-cookie']]).toEqual([
      303,
      '/',
      [expect.stringMatching(new RegExp(`^svc-studio-${studio.port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`))],
    ]);
    const cookie = first.headers['set-cookie']![0]!.split(';')[0]!;
    const page = await get(studio.port, '/', { cookie });
    expect([page.status, page.body, page.headers['content-security-policy']]).toEqual([
      200,
      '<title>studio</title>',
      contentPolicy,
    ]);
    expect(page.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    expect((await get(studio.port, `/?token=${studio.token}`)).status).toBe(403);
    expect((await get(studio.port, `/?token=${studio.token}`, { cookie })).headers.location).toBe('/');
  });

  test('shows nothing to others', async () => {
    const studio = await start();
    for (const path of ['/', '/index.html', '/assets/a-1.js', '/?token=', `/?token=${'x'.repeat(43)}`, '/nothing'])
      expect((await get(studio.port, path)).status, path).toBe(403);
    const cookie = `svc-studio-${studio.port}=${'x'.repeat(43)}`;
    expect((await get(studio.port, '/', { cookie })).status).toBe(403);
    // What was tried did not use the token up.
    expect((await get(studio.port, `/?token=${studio.token}`)).status).toBe(303);
  });

  test('answers only to names of this machine', async () => {
    const studio = await start();
    const cookie = await signIn(studio);
    const status = async (host: string) => (await get(studio.port, '/', { cookie, host })).status;
    for (const name of ['127.0.0.1', 'localhost', '[::1]', 'LOCALHOST'])
      expect(await status(`${name}:${studio.port}`)).toBe(200);
    for (const host of [
      'evil.example',
      `evil.example:${studio.port}`,
      '127.0.0.1',
      '127.0.0.1.evil.example',
      'localhost:1',
    ])
      expect(await status(host), host).toBe(421);
  });

  test('serves nothing but what was built', async () => {
    const studio = await start();
    const cookie = await signIn(studio);
    const asset = await get(studio.port, '/assets/a-1.js', { cookie });
    expect([asset.status, asset.headers['content-type'], asset.headers['cache-control']]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      'private, max-age=31536000, immutable',
    ]);
    for (const path of [
      '/../x',
      '/..%2fx',
      '/%2e%2e/x',
      '/assets/..%2f..%2fx',
      '/assets/..\\..\\x',
      '/%00',
      '/assets/a-1.js%00.html',
      '//etc/passwd',
      '/assets',
      '/.hidden',
      '/%',
    ])
      expect([400, 404], path).toContain((await get(studio.port, path, { cookie })).status);
    expect((await get(studio.port, '/', { cookie }, 'POST')).status).toBe(405);
  });

  test('opens its bridge to its own pages only', async () => {
    const studio = await start();
    const cookie = await signIn(studio);
    const { port } = studio;
    const refused: Record<string, string>[] = [
      {},
      { cookie },
      { origin: `http://127.0.0.1:${port}` },
      { cookie, origin: 'null' },
      { cookie, origin: 'http://evil.example' },
      { cookie, origin: `http://127.0.0.1:${port}.evil.example` },
      { cookie, origin: `http://localhost:${port}` },
      { cookie, origin: `https://127.0.0.1:${port}` },
      { cookie, origin: 'http://127.0.0.1:1' },
      { cookie: `svc-studio-${port}=x`, origin: `http://127.0.0.1:${port}` },
      { cookie, origin: `http://evil.example:${port}`, host: `evil.example:${port}` },
    ];
    for (const headers of refused) await expect(bridge(port, headers), JSON.stringify(headers)).rejects.toThrow('403');
    const client = await bridge(port, own(port, cookie));
    expect(await client.call('project.current', {})).toMatchObject({ project: { directory: studio.directory } });
  });

  test('checks every name and every parameter', async () => {
    const studio = await start();
    const client = await bridge(studio.port, own(studio.port, await signIn(studio)));
    for (const name of ['nothing', 'toString', '__proto__', 'constructor'])
      await expect(client.call(name, {})).rejects.toThrow(`there is no service "${name}"`);
    await expect(client.call('files.read', {})).rejects.toThrow('"path" is missing');
    await expect(client.call('files.read', { path: 1 })).rejects.toThrow('"path" must be of kind string');
    await expect(client.call('files.read', [])).rejects.toThrow('params must be an object');
    await expect(client.call('files.read', { path: '../x' })).rejects.toThrow('not a plain path');
    expect(await client.call('project.choose', {})).toEqual({});
    expect(await client.call('system.saveAs', { name: 'a', content: 'b' })).toEqual({ saved: false });
    await expect(client.call('system.openExternal', { url: 'file:///x' })).rejects.toThrow('only pages');
  });

  test('ends a page that sends more than it may', async () => {
    const studio = await start();
    const client = await bridge(studio.port, own(studio.port, await signIn(studio)));
    const call = client.call('files.write', { path: 'a', text: 'x'.repeat(17 * 1024 * 1024) });
    await expect(call).rejects.toThrow('the connection was closed');
  });

  test('keeps the folder for a page that is loaded again, and for no other', async () => {
    const studio = await start();
    const headers = own(studio.port, await signIn(studio));
    const first = await bridge(studio.port, headers);
    const other = folderWith();
    await first.call('project.open', { directory: other });
    const second = await bridge(studio.port, headers);
    const directoryOf = async (client: RpcClient) =>
      ((await client.call('project.current', {})) as { project: { directory: string } }).project.directory;
    expect(await directoryOf(second)).toBe(studio.directory);
    first.close();
    await first.closed;
    expect(await directoryOf(await bridge(studio.port, headers))).toBe(other);
  });

  test('forgets a page that does not come back', async () => {
    const studio = await start(10);
    const headers = own(studio.port, await signIn(studio));
    const first = await bridge(studio.port, headers);
    const other = folderWith();
    await first.call('project.open', { directory: other });
    first.close();
    await first.closed;
    await until(async () => {
      const again = await bridge(studio.port, headers);
      const current = (await again.call('project.current', {})) as { project: { directory: string } };
      again.close();
      return current.project.directory === studio.directory;
    });
  });
});
