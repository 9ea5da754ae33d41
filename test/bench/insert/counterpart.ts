import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fastify from 'fastify';

const db = new DatabaseSync(join(process.argv[2]!, 'bench.db'));
db.exec('PRAGMA synchronous = NORMAL');
const insert = db.prepare('INSERT INTO users (name, email, age) VALUES (?, ?, ?)');
const app = fastify();
const body = {
  type: 'object',
  required: ['name', 'email', 'age'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 100 },
    email: { type: 'string', pattern: '@.*\\.' },
    age: { type: 'number', minimum: 0, maximum: 150 },
  },
} as const;
const answer = { type: 'object', properties: { id: { type: 'integer' }, affected: { type: 'integer' } } } as const;

interface NewUser {
  readonly name: string;
  readonly email: string;
  readonly age: number;
}

app.post<{ Body: NewUser }>('/users', { schema: { body, response: { 200: answer } } }, async (request) => {
  const { name, email, age } = request.body;
  const { lastInsertRowid, changes } = insert.run(name.trim(), email.toLowerCase(), age);
  return { id: lastInsertRowid, affected: changes };
});
app.get('/health/live', async () => ({ status: 'alive' }));
await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
process.on('SIGTERM', () => process.exit());
