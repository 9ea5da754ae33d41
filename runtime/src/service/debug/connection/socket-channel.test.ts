import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Channel } from '@svc/protocol/wire';
import { afterEach, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { LateBodies } from '../../../platform/http/sockets/late-bodies.ts';
import { channelOf } from './socket-channel.ts';

const late = new LateBodies();
let end: () => void = () => undefined;
afterEach(() => end());

/** A channel over a real socket, with the client at its other end. */
async function joined(
  every?: number,
): Promise<{ readonly channel: Channel; readonly socket: WebSocket; readonly got: string[] }> {
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  const opened = Promise.withResolvers<Channel>();
  const server = createServer().on('upgrade', (request, raw, head) =>
    sockets.handleUpgrade(request, raw, head, (socket) =>
      opened.resolve(channelOf(socket, raw as Socket, late, every)),
    ),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const got: string[] = [];
  socket.on('message', (data) => got.push(String(data)));
  end = () => {
    socket.terminate();
    server.close();
  };
  await once(socket, 'open');
  return { channel: await opened.promise, socket, got };
}

test('texts of every length arrive whole and in order, whatever the size of their frames', async () => {
  const { channel, socket, got } = await joined();
  const texts = [0, 1, 125, 126, 127, 65_535, 65_536, 200_000].flatMap((length) => [
    'x'.repeat(length),
    `${'é'.repeat(length >> 1)}😀`,
  ]);
  for (const text of texts) void channel.send(text);
  channel.close(1001, 'over');
  const [code] = await once(socket, 'close');
  expect([code, got]).toEqual([1001, texts]);
});

test('texts of one turn leave together and are said to be gone together; later ones leave later', async () => {
  const { channel, socket, got } = await joined();
  const first = channel.send('a');
  expect(channel.send('b')).toBe(first);
  await first;
  const later = channel.send('c');
  expect(later).not.toBe(first);
  while (got.length < 3) await once(socket, 'message');
  expect(got).toEqual(['a', 'b', 'c']);
});

test('a text for a client that has gone is gone too, and nothing waits for it', async () => {
  const { channel, socket } = await joined();
  const waiting = channel.send('a');
  socket.terminate();
  await channel.closed;
  await waiting;
  await channel.send('b');
});

test('a message whose frames do not come to an end ends the connection, and one that keeps its pace does not', async () => {
  late.readTimeout = 1_500;
  // More than pongs alone.
  late.readRate = 200;
  const { channel, socket } = await joined(100);
  const taken: string[] = [];
  channel.receive((text) => void taken.push(text));
  // With each ping comes a frame that is worth more time than there is: the message may take as long as it likes.
  let pings = 0;
  const done = new Promise<void>((resolve) =>
    socket.on('ping', () => {
      pings++;
      if (pings < 40) socket.send('x'.repeat(100), { fin: false });
      else if (pings === 40) socket.send('y', () => resolve());
    }),
  );
  await done;
  await expect.poll(() => taken).toEqual([`${'x'.repeat(3_900)}y`]);
  socket.send('never', { fin: false });
  const [code, reason] = await once(socket, 'close');
  expect([code, String(reason)]).toEqual([1008, 'a message did not arrive in time']);
});
