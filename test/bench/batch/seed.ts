import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { userOf } from '../database/work.ts';

/** Rows that one request copies. */
export const rows = 10_000;

/** The definitions of a table, which the source and the destination have. */
export const columns = 'name TEXT NOT NULL, email TEXT NOT NULL, age INTEGER';

export function seed(folder: string): void {
  const db = new DatabaseSync(join(folder, 'bench.db'));
  db.exec(`PRAGMA journal_mode = WAL; CREATE TABLE users (id INTEGER PRIMARY KEY, ${columns}); BEGIN`);
  const fill = db.prepare('INSERT INTO users (name, email, age) VALUES (?, ?, ?)');
  for (let index = 0; index < rows; index++) {
    const { name, email, age } = userOf(index);
    fill.run(` ${name} `, email.toUpperCase(), age);
  }
  db.exec('COMMIT');
  db.close();
}
