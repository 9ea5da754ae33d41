import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';

const secret = process.env['SECRET']!;
const largest = 1_048_576;
const tolerance = 300_000;

interface Payment {
  readonly amount: number;
}

function isSigned(signature: unknown, timestamp: unknown, body: Buffer): boolean {
  if (typeof signature !== 'string' || typeof timestamp !== 'string' || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(Date.now() - Number(timestamp) * 1000) > tolerance) return false;
  const given = Buffer.from(signature.replace(/^sha256=/, ''), 'hex');
  const wanted = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

function answer(response: ServerResponse, status: number, value: object): void {
  const body = JSON.stringify(value);
  const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, headers).end(body);
}

createServer((request, response) => {
  if (request.url === '/ready') return answer(response, 200, { ok: true });
  const pieces: Buffer[] = [];
  let length = 0;
  request.on('data', (piece: Buffer) => {
    length += piece.length;
    if (length > largest) request.destroy();
    else pieces.push(piece);
  });
  request.on('end', () => {
    const body = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
    const { 'x-webhook-signature': signature, 'x-webhook-timestamp': timestamp } = request.headers;
    if (!isSigned(signature, timestamp, body)) return answer(response, 401, { error: 'signature' });
    const payment = JSON.parse(body.toString()) as Payment;
    if (!(payment.amount > 0)) return answer(response, 200, { dropped: true });
    answer(response, 200, { received: true, id: randomUUID() });
  });
}).listen(Number(process.env['PORT']), '127.0.0.1');
process.on('SIGTERM', () => process.exit());
