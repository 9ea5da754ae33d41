import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { until } from '../../../../test/support/until.ts';
import { Dialer, debugAddress } from './dial.ts';

interface Emitted {
  readonly event: string;
  readonly params: unknown;
}

/** An endpoint that greets, answers every text with itself, and lets in those with the right token. */
async function endpoint(token?: string) {
  const requests: IncomingMessage[] = [];
  const server = new WebSocketServer({
    host: '127.0.0.1',
    port: 0,
    verifyClient: ({ req }: { req: IncomingMessage }) =>
      token === undefined || req.headers.authorization === `Bearer ${token}`,
  });
  server.on('connection', (socket, request) => {
    requests.push(request);
    socket.send('hello');
    socket.on('message', (data) => (String(data) === 'end' ? socket.close(4000, 'over') : socket.send(String(data))));
  });
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

function dialer(tokenFor: (address: string) => string | undefined = () => undefined) {
  const emitted: Emitted[] = [];
  const made = new Dialer((event, params) => void emitted.push({ event, params }), tokenFor);
  onTestFinished(() => made.closeAll());
  return { services: made.services, emitted, made };
}

describe('debug endpoints', () => {
  test('are dialed by host and port; texts go both ways and the end is reported', async () => {
    const { address, requests } = await endpoint();
    const { services, emitted } = dialer();
    const dialed = await services['debug.dial']({ address });
    expect(dialed.address).toBe(`ws://${address}/debug`);
    const { id } = dialed;
    await services['debug.send']({ id, text: 'a' });
    await services['debug.send']({ id, text: 'end' });
    await until(() => emitted.length === 3);
    expect(emitted).toEqual([
      { event: 'debug.texts', params: { id, texts: ['hello'] } },
      { event: 'debug.texts', params: { id, texts: ['a'] } },
      { event: 'debug.closed', params: { id, code: 4000, reason: 'over' } },
    ]);
    expect([requests[0]?.url, requests[0]?.headers.origin]).toEqual(['/debug', undefined]);
    await expect(services['debug.send']({ id, text: 'late' })).rejects.toThrow('the connection is closed');
  });

  test('hand over together what came together, in order, and in parts when it is much', async () => {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    onTestFinished(() => void server.close());
    const large = 'x'.repeat(200_000);
    const all = [...Array.from({ length: 40 }, (_, index) => String(index)), large, large, 'last'];
    server.on('connection', (socket) => {
      for (const text of all) socket.send(text);
      socket.close(1000);
    });
    await new Promise((resolve) => server.once('listening', resolve));
    const { services, emitted } = dialer();
    await services['debug.dial']({ address: `127.0.0.1:${(server.address() as AddressInfo).port}` });
    await until(() => emitted.some(({ event }) => event === 'debug.closed'));
    const lots = emitted
      .filter(({ event }) => event === 'debug.texts')
      .map(({ params }) => (params as { texts: string[] }).texts);
    expect(lots.flat()).toEqual(all);
    expect(emitted.at(-1)?.event).toBe('debug.closed');
    expect(lots.length).toBeLessThan(all.length);
    for (const lot of lots) expect(lot.filter((text) => text === large).length).toBeLessThanOrEqual(2);
  });

  test('get the token that was given, else the one of the running service', async () => {
    const { address } = await endpoint('secret');
    const refused = 'the service asks for its debug token, or the one that was given is wrong';
    await expect(dialer().services['debug.dial']({ address })).rejects.toThrow(refused);
    const { services } = dialer((asked) => (asked === `ws://${address}/debug` ? 'secret' : undefined));
    expect((await services['debug.dial']({ address })).id).toMatch(/./);
    await expect(services['debug.dial']({ address, token: 'wrong' })).rejects.toThrow(refused);
    await expect(services['debug.dial']({ address, token: 'a\r\nb: c' })).rejects.toThrow('a token has no blanks');
  });

  test('are closed by the window, and at most 16 are open', async () => {
    const { address } = await endpoint();
    const { services, emitted } = dialer();
    const opened = await Promise.all(Array.from({ length: 16 }, () => services['debug.dial']({ address })));
    await expect(services['debug.dial']({ address })).rejects.toThrow('16 connections are open already');
    await services['debug.close']({ id: opened[0]!.id });
    await until(() => emitted.some(({ event }) => event === 'debug.closed'));
    expect((await services['debug.dial']({ address })).id).toMatch(/./);
  });

  test('that are not there say so', async () => {
    await expect(dialer().services['debug.dial']({ address: '127.0.0.1:1' })).rejects.toThrow('ECONNREFUSED');
    for (const wrong of ['', 'http://127.0.0.1/debug', 'file:///x', 'ws://user:pass@127.0.0.1/', 'a b'])
      expect(() => debugAddress(wrong)).toThrow('is not the address of a debugger');
  });

  test('of a page that left stay open for the one that comes back, until it goes elsewhere', async () => {
    const { address, requests } = await endpoint();
    const other = await endpoint();
    const { services, emitted, made } = dialer();
    const first = await services['debug.dial']({ address });
    made.pageLeft();
    expect(await services['debug.dial']({ address })).toEqual({ ...first, resumed: true });
    await services['debug.send']({ id: first.id, text: 'again' });
    await until(() => emitted.some(({ params }) => (params as { texts?: string[] }).texts?.includes('again')));
    expect(requests.length).toBe(1);
    made.pageLeft();
    expect(await services['debug.dial']({ address: other.address })).toMatchObject({ resumed: false });
    await until(() => emitted.some(({ event }) => event === 'debug.closed'));
    made.pageLeft();
    await services['debug.release']({});
    await until(() => emitted.filter(({ event }) => event === 'debug.closed').length === 2);
  });
});
