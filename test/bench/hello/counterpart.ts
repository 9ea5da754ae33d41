import fastify from 'fastify';

const app = fastify();
const answer = {
  type: 'object',
  properties: { message: { type: 'string' }, ok: { type: 'boolean' } },
} as const;

app.get('/hello', { schema: { response: { 200: answer } } }, async () => ({ message: 'hello', ok: true }));
await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
process.on('SIGTERM', () => process.exit());
