import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export const users = 10_000;

/** The table that both sides read: some numbers, some text, as small as rows of people usually are. */
export function seed(folder: string): void {
  const db = new DatabaseSync(join(folder, 'bench.db'));
  db.exec('PRAGMA journal_mode = WAL');
  db.exec('CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, age INTEGER)');
  const insert = db.prepare('INSERT INTO users (id, name, email, age) VALUES (?, ?, ?, ?)');
  db.exec('BEGIN');
  for (let id = 1; id <= users; id += 1) insert.run(id, `Person ${id}`, `person${id}@example.org`, 18 + (id % 70));
  db.exec('COMMIT');
  db.close();
}
