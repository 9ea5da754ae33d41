import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import fastify from 'fastify';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

interface User {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly age: number;
}

const old = new DatabaseSync(join(process.argv[2]!, 'bench.db'));
const page = old.prepare('SELECT id, name, email, age FROM users WHERE id > ? ORDER BY id LIMIT 1000');
const pool = new pg.Pool({ connectionString: process.env['BENCH_POSTGRES_URL']!, max: 10 });
const app = fastify();

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const escaped = (text: string): string => text.replace(/[\\\n\r\t]/g, (char) => escapes[char]!);

function* lines(users: readonly User[]): Iterable<string> {
  let piece = '';
  for (const { name, email, age } of users) {
    piece += `${escaped(name.trim())}\t${escaped(email.toLowerCase())}\t${age}\n`;
    if (piece.length < 65_536) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

async function write(users: readonly User[]): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const stream = client.query(copyFrom('COPY users (name, email, age) FROM STDIN'));
    await pipeline(Readable.from(lines(users)), stream);
    await client.query('COMMIT');
  } finally {
    client.release();
  }
}

app.post('/copy', async () => {
  let [processed, chunks, after] = [0, 0, 0];
  for (;;) {
    const users = page.all(after) as unknown as User[];
    if (users.length > 0) {
      await write(users);
      processed += users.length;
      chunks += 1;
      after = users.at(-1)!.id;
    }
    if (users.length < 1000) break;
  }
  return { processed, failed: 0, chunks, errors: [] };
});
app.get('/health/live', async () => ({ status: 'alive' }));
await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
process.on('SIGTERM', () => process.exit());
