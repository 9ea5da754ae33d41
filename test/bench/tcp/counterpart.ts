// What a good engineer writes for the same job: a length of four bytes, JSON, one answer for each message.
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';

interface Greeting {
  readonly type: string;
  readonly id: string;
  readonly data: { readonly name: string; readonly number: number };
}

const most = 16 * 1024 * 1024;

const server = createServer({ noDelay: true }, (socket) => {
  let kept: Buffer = Buffer.alloc(0);
  socket.on('error', () => undefined);
  socket.on('data', (piece: Buffer) => {
    kept = kept.length === 0 ? piece : Buffer.concat([kept, piece]);
    let at = 0;
    while (kept.length - at >= 4) {
      const length = kept.readUInt32BE(at);
      if (length === 0 || length > most) return socket.destroy();
      if (kept.length - at < 4 + length) break;
      const { type, id, data } = JSON.parse(kept.toString('utf8', at + 4, at + 4 + length)) as Greeting;
      at += 4 + length;
      const timestamp = Math.floor(Date.now() / 1000);
      const answer =
        type === 'greet' && typeof data?.name === 'string'
          ? { type: 'response', id, data: { greeting: `Hello, ${data.name}`, number: data.number }, timestamp }
          : { type: 'error', id, error: `unknown message type: ${type}`, timestamp };
      const text = JSON.stringify(answer);
      const frame = Buffer.allocUnsafe(4 + Buffer.byteLength(text));
      frame.writeUInt32BE(frame.length - 4);
      frame.write(text, 4);
      socket.write(frame);
    }
    kept = kept.subarray(at);
  });
});
server.listen(Number(process.env['MESSAGES_PORT']), '127.0.0.1');
createHttpServer((_request, response) => response.end('{"ready":true}')).listen(
  Number(process.env['PORT']),
  '127.0.0.1',
);
process.on('SIGTERM', () => process.exit());
