import { connect } from 'amqplib';
import fastify from 'fastify';

const model = await connect(process.env['BROKER_URL']!);
const channel = await model.createConfirmChannel();
const queue = process.env['QUEUE']!;
const app = fastify();
const body = {
  type: 'object',
  required: ['id', 'name'],
  properties: { id: { type: 'number' }, name: { type: 'string' } },
} as const;
const answer = { type: 'object', properties: { sent: { type: 'boolean' } } } as const;

interface Order {
  readonly id: number;
  readonly name: string;
}

app.post<{ Body: Order }>('/orders', { schema: { body, response: { 200: answer } } }, async (request) => {
  const { id, name } = request.body;
  const content = Buffer.from(JSON.stringify({ id, name: name.trim() }));
  const options = { persistent: true, contentType: 'application/json', mandatory: true };
  await new Promise<void>((resolve, reject) => {
    channel.sendToQueue(queue, content, options, (error: unknown) => (error ? reject(error as Error) : resolve()));
  });
  return { sent: true };
});
app.get('/health/ready', async () => ({ status: 'ready' }));
await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
process.on('SIGTERM', () => process.exit());
