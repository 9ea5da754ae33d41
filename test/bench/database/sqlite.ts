import { DatabaseSync } from 'node:sqlite';
import { chunksOf, userOf, users, type Work } from './work.ts';

const columns = 'id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, age INTEGER';

/** `node:sqlite` as a program uses it: prepared statements, a transaction for many rows. */
export async function byHand(path: string): Promise<{ work: Work; end(): Promise<void> }> {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  database.exec(`CREATE TABLE users (${columns}); CREATE TABLE written (${columns})`);
  const read = database.prepare('SELECT * FROM users WHERE id = ?');
  const list = database.prepare('SELECT * FROM users WHERE id >= ? ORDER BY id LIMIT 50');
  const insert = database.prepare('INSERT INTO written (name, email, age) VALUES (?, ?, ?)');
  const fill = database.prepare('INSERT INTO users (name, email, age) VALUES (?, ?, ?)');
  database.exec('BEGIN');
  for (let index = 0; index < users; index++) {
    const { name, email, age } = userOf(index);
    fill.run(name, email, age);
  }
  database.exec('COMMIT');
  const work: Work = {
    read: (id) => read.all(id),
    list: (from) => list.all(from),
    insert: ({ name, email, age }) => insert.run(name, email, age),
    batch: async (all) => {
      for (const each of chunksOf(all)) {
        database.exec('BEGIN IMMEDIATE');
        for (const { name, email, age } of each) insert.run(name, email, age);
        database.exec('COMMIT');
      }
    },
  };
  return { work, end: async () => database.close() };
}
