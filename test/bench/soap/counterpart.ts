import { createServer } from 'node:http';
import { answerTo } from './order.ts';

createServer((request, response) => {
  if (request.method !== 'POST' || !request.headers['content-type']?.startsWith('text/xml'))
    return void response.writeHead(request.method === 'GET' ? 200 : 415).end();
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const body = answerTo(Buffer.concat(chunks).toString());
    response
      .writeHead(200, { 'content-type': 'text/xml; charset=utf-8', 'content-length': Buffer.byteLength(body) })
      .end(body);
  });
}).listen(Number(process.env['PORT']), '127.0.0.1');
process.on('SIGTERM', () => process.exit());
