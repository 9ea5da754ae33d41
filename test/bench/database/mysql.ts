import mysql from 'mysql2/promise';
import { chunksOf, type User, userOf, users, type Work } from './work.ts';

const columns = 'name VARCHAR(100) NOT NULL, email VARCHAR(100) NOT NULL, age INTEGER';

/** The client library as a program uses it: a pool, prepared statements, INSERT of many rows. */
export async function byHand(url: string): Promise<{ work: Work; end(): Promise<void> }> {
  const pool = mysql.createPool({ uri: url, connectionLimit: 10 });
  await pool.query(`CREATE TABLE users (id INTEGER AUTO_INCREMENT PRIMARY KEY, ${columns})`);
  await pool.query(`CREATE TABLE written (id INTEGER AUTO_INCREMENT PRIMARY KEY, ${columns})`);
  const work: Work = {
    read: (id) => pool.execute('SELECT * FROM users WHERE id = ?', [id]),
    list: (from) => pool.execute('SELECT * FROM users WHERE id >= ? ORDER BY id LIMIT 50', [from]),
    insert: ({ name, email, age }) =>
      pool.execute('INSERT INTO written (name, email, age) VALUES (?, ?, ?)', [name, email, age]),
    batch: async (all) => {
      for (const each of chunksOf(all)) await write(pool, 'written', each);
    },
  };
  for (const each of chunksOf(Array.from({ length: users }, (_, index) => userOf(index))))
    await write(pool, 'users', each);
  return { work, end: () => pool.end() };
}

const rowsOfStatement = 250;

async function write(pool: mysql.Pool, table: string, rows: readonly User[]): Promise<void> {
  const connection = await pool.getConnection();
  try {
    await connection.beginTransaction();
    // As parameters, which the connector promises; as a text that the client makes, they cost the client half of it.
    for (let from = 0; from < rows.length; from += rowsOfStatement) {
      const some = rows.slice(from, from + rowsOfStatement);
      const marks = some.map(() => '(?, ?, ?)').join(', ');
      const values = some.flatMap(({ name, email, age }) => [name, email, age]);
      await connection.execute(`INSERT INTO ${table} (name, email, age) VALUES ${marks}`, values);
    }
    await connection.commit();
  } finally {
    connection.release();
  }
}
