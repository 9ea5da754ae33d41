import fastify from 'fastify';
import { Redis } from 'ioredis';

const redis = new Redis(process.env['TEST_REDIS_URL']!, { enableAutoPipelining: true });
const app = fastify();

interface Product {
  readonly message: string;
  readonly ok: boolean;
}

const load = async (): Promise<Product> => ({ message: 'hello', ok: true });
const answer = {
  type: 'object',
  properties: { message: { type: 'string' }, ok: { type: 'boolean' } },
} as const;

app.get<{ Params: { id: string } }>(
  '/products/:id',
  { schema: { response: { 200: answer } } },
  async ({ params }): Promise<Product> => {
    const key = `product:${params.id}`;
    const found = await redis.get(key);
    if (found !== null) return JSON.parse(found) as Product;
    const product = await load();
    await redis.set(key, JSON.stringify(product), 'EX', 600);
    return product;
  },
);
app.get('/health/live', async () => ({ status: 'alive' }));
await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
process.on('SIGTERM', () => process.exit());
