import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { HttpSender } from './http.ts';

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('requests of the window', () => {
  test('go out as they were written, and their answers come back whole', async () => {
    const url = await serve(async (request, response) => {
      let body = '';
      for await (const piece of request) body += piece;
      const { method, url: path, headers } = request;
      response.writeHead(201, 'Made', { 'set-cookie': ['a=1, x', 'b=2'], 'x-one': 'two' });
      response.end(JSON.stringify({ method, path, header: headers['x-mine'], body }));
    });
    const { services } = new HttpSender();
    const answer = await services['http.send']({
      id: '1',
      method: 'patch',
      url: `${url}/a?b=c`,
      headers: { 'X-Mine': 'yes' },
      body: 'grün',
    });
    expect({ ...answer, body: JSON.parse(answer.body) }).toMatchObject({
      status: 201,
      statusText: 'Made',
      headers: { 'set-cookie': 'a=1, x\nb=2', 'x-one': 'two' },
      body: { method: 'PATCH', path: '/a?b=c', header: 'yes', body: 'grün' },
      encoding: 'text',
      truncated: false,
    });
    expect(answer.durationMs).toBeGreaterThan(0);
  });

  test('bytes come as base64, redirects as they are', async () => {
    const url = await serve((request, response) => {
      if (request.url === '/elsewhere') return void response.writeHead(302, { location: '/' }).end();
      response.end(Buffer.from([0xff, 0, 1]));
    });
    const { services } = new HttpSender();
    expect(await services['http.send']({ id: '1', method: 'GET', url })).toMatchObject({
      body: '/wAB',
      encoding: 'base64',
    });
    const moved = await services['http.send']({ id: '1', method: 'GET', url: `${url}/elsewhere` });
    expect([moved.status, moved.headers['location']]).toEqual([302, '/']);
  });

  test('a long body is cut at 5 MiB, between two characters', async () => {
    const url = await serve((_, response) => void response.end(`x${'ü'.repeat(3 * 1024 * 1024)}`));
    const answer = await new HttpSender().services['http.send']({ id: '1', method: 'GET', url });
    expect([answer.truncated, answer.encoding, answer.body.length]).toEqual([
      true,
      'text',
      1 + (5 * 1024 * 1024 - 2) / 2,
    ]);
  });

  test('can be cancelled, and end by themselves', async () => {
    const url = await serve(() => undefined);
    const { services } = new HttpSender();
    const answer = services['http.send']({ id: '1', method: 'GET', url });
    await expect(services['http.send']({ id: '1', method: 'GET', url })).rejects.toThrow('a request "1" is under way');
    await services['http.cancel']({ id: '1' });
    await expect(answer).rejects.toThrow('the request was cancelled');
    await expect(services['http.send']({ id: '1', method: 'GET', url, timeoutMs: 20 })).rejects.toThrow(
      'no answer came within 20 ms',
    );
  });

  test('go to http and https only, and say why they failed', async () => {
    const { services } = new HttpSender();
    const send = (url: string, method = 'GET') => services['http.send']({ id: '1', method, url });
    for (const url of ['file:///etc/passwd', 'ftp://x', 'data:text/plain,x', 'blob:x'])
      await expect(send(url)).rejects.toThrow('requests go to http or https');
    await expect(send('/orders')).rejects.toThrow('"/orders" is not an address');
    await expect(send('http://127.0.0.1', 'GE T')).rejects.toThrow('"GE T" is not a method of HTTP');
    await expect(send('http://127.0.0.1:1')).rejects.toThrow(/ECONNREFUSED|bad port/);
  });
});
