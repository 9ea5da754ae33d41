// Clients of streams or WebSockets, in a process of their own. What the parent sends is how many more are to connect;
// what it is sent is how many are connected, and how many events all of them have got.
import { connect } from 'node:net';

const [, , url = '', path = '/'] = process.argv;
const { hostname, port } = new URL(url);
const isSocket = path === '/ws';
const upgrade =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
const request = `GET ${path} HTTP/1.1\r\nHost: x\r\n${isSocket ? upgrade : ''}\r\n`;
/** Connections that are made at the same time. */
const atOnce = 200;

let events = 0;
let said = 0;

function open(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('closed')));
    socket.write(request);
    socket.once('data', (head) => {
      if (!/^HTTP\/1\.1 (101|200)/.test(String(head))) reject(new Error(String(head)));
      resolve();
    });
    socket.on('data', (piece) => {
      for (let at = piece.indexOf('\ndata: '); at >= 0; at = piece.indexOf('\ndata: ', at + 1)) events++;
    });
  });
}

process.on('message', async (count: number) => {
  let left = count;
  const some = async () => {
    while (left-- > 0) await open();
  };
  await Promise.all(Array.from({ length: atOnce }, some));
  process.send?.({ connected: count });
});
setInterval(() => {
  if (events === said) return;
  said = events;
  process.send?.({ events });
}, 5);
process.once('disconnect', () => process.exit());
