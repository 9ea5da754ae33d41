// What a good engineer writes with a framework: the body as bytes, its signature, its fields.
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import fastify from 'fastify';

const secret = process.env['SECRET']!;
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

const app = fastify({ bodyLimit: 1_048_576 });
app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
app.get('/ready', async () => ({ ok: true }));
app.post('/hooks', async ({ headers, body }, reply) => {
  const bytes = body as Buffer;
  if (!isSigned(headers['x-webhook-signature'], headers['x-webhook-timestamp'], bytes))
    return reply.code(401).send({ error: 'signature' });
  const { amount } = JSON.parse(bytes.toString()) as Payment;
  return amount > 0 ? { received: true, id: randomUUID() } : { dropped: true };
});
await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
process.on('SIGTERM', () => process.exit());
