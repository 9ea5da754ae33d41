import fastify from 'fastify';

const app = fastify();
const most = 8;
let inFlight = 0;

app.addHook('onRequest', async (_request, reply) => {
  inFlight += 1;
  if (inFlight > most) await reply.code(503).header('retry-after', '1').send({ error: 'overloaded' });
});
app.addHook('onResponse', async () => {
  inFlight -= 1;
});
app.get('/work', async () => {
  const numbers = Array.from({ length: 5_000 }, (_, index) => BigInt(index));
  return { total: Number(numbers.map((n) => n * 2n).reduce((sum, n) => sum + n, 0n)) };
});
await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
process.on('SIGTERM', () => process.exit());
