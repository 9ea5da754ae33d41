import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fastify from 'fastify';

const db = new DatabaseSync(join(process.argv[2]!, 'bench.db'));
const select = db.prepare('SELECT * FROM users WHERE id = ?');
const app = fastify();
const answer = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      name: { type: 'string' },
      email: { type: 'string' },
      age: { type: 'integer' },
    },
  },
} as const;

app.get<{ Params: { id: string } }>('/users/:id', { schema: { response: { 200: answer } } }, async ({ params }) =>
  select.all(params.id),
);
await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
process.on('SIGTERM', () => process.exit());
