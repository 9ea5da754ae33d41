import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { chunksOf, type User, userOf, users, type Work } from './work.ts';

const columns = 'name TEXT NOT NULL, email TEXT NOT NULL, age INTEGER';

/** The client library as a program uses it: a pool, prepared statements, COPY. */
export async function byHand(url: string): Promise<{ work: Work; end(): Promise<void> }> {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  // A pool ends before its connections do, which are cut with the database.
  pool.on('error', () => undefined);
  await pool.query(`CREATE TABLE users (id SERIAL PRIMARY KEY, ${columns})`);
  await pool.query(`CREATE TABLE written (id SERIAL PRIMARY KEY, ${columns})`);
  const work: Work = {
    read: (id) => pool.query({ name: 'read', text: 'SELECT * FROM users WHERE id = $1', values: [id] }),
    list: (from) =>
      pool.query({ name: 'list', text: 'SELECT * FROM users WHERE id >= $1 ORDER BY id LIMIT 50', values: [from] }),
    insert: ({ name, email, age }) =>
      pool.query({
        name: 'insert',
        text: 'INSERT INTO written (name, email, age) VALUES ($1, $2, $3) RETURNING *',
        values: [name, email, age],
      }),
    batch: async (all) => {
      for (const each of chunksOf(all)) await copy(pool, 'written', each);
    },
  };
  await copy(
    pool,
    'users',
    Array.from({ length: users }, (_, index) => userOf(index)),
  );
  return { work, end: () => pool.end() };
}

async function copy(pool: pg.Pool, table: string, rows: readonly User[]): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const stream = client.query(copyFrom(`COPY ${table} (name, email, age) FROM STDIN`));
    await pipeline(Readable.from(lines(rows)), stream);
    await client.query('COMMIT');
  } finally {
    client.release();
  }
}

function* lines(rows: readonly User[]): Iterable<string> {
  let piece = '';
  for (const { name, email, age } of rows) {
    piece += `${escaped(name)}\t${escaped(email)}\t${age}\n`;
    if (piece.length < 65_536) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

const escaped = (text: string): string =>
  text.replace(/[\\\n\r\t]/g, (char) => `\\${char === '\n' ? 'n' : char === '\r' ? 'r' : char === '\t' ? 't' : '\\'}`);
