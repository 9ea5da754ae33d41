import fastify from 'fastify';

const app = fastify();
const most = 100;
let inFlight = 0;

app.addHook('onRequest', async (_request, reply) => {
  inFlight += 1;
  if (inFlight > most) await reply.code(503).header('retry-after', '1').send({ error: 'overloaded' });
});
app.addHook('onResponse', async () => {
  inFlight -= 1;
});
app.get('/work', async () => {
  let total = 0n;
  for (let n = 0n; n < 5_000n; n += 1n) total += n * 2n;
  return { total: Number(total) };
});
await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
process.on('SIGTERM', () => process.exit());
