import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export function seed(folder: string): void {
  const db = new DatabaseSync(join(folder, 'bench.db'));
  db.exec('PRAGMA journal_mode = WAL');
  db.exec('CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, age INTEGER)');
  db.close();
}
