import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastify from 'fastify';
import mercurius from 'mercurius';

const read = (name: string) => readFileSync(join(process.argv[2] as string, name), 'utf8');
const data = JSON.parse(read('data.json')) as Readonly<Record<'order' | 'users', object>>;
const app = fastify();
app.register(mercurius, {
  schema: read('schema.graphql'),
  resolvers: { Query: { order: () => data.order, users: () => data.users } },
  jit: 1,
});
app.get('/health', () => ({ status: 'ok' }));
await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
process.on('SIGTERM', () => process.exit());
