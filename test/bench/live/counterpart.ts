import { createServer, type ServerResponse } from 'node:http';

const streams = new Set<ServerResponse>();
let last = 0;

/** What a careful program does: one text for everybody, and a stream that is closed is forgotten. */
function publish(text: string): void {
  const event = Buffer.from(`id: ${++last}\nevent: message\ndata: ${text}\n\n`);
  for (const stream of streams) stream.write(event);
}

createServer((request, response) => {
  if (request.url === '/events') {
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    });
    response.flushHeaders();
    streams.add(response);
    response.on('close', () => streams.delete(response));
    return;
  }
  let body = '';
  request.on('data', (piece: Buffer) => (body += piece));
  request.on('end', () => {
    if (request.method === 'POST') publish(JSON.stringify(JSON.parse(body)));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"ok":true}');
  });
}).listen(Number(process.env['PORT']), '127.0.0.1');
process.on('SIGTERM', () => process.exit());
