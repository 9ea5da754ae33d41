import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Benchmark } from '../benchmark.ts';
import { withQueue } from '../broker.ts';
import { drain } from '../drain.ts';
import { handWritten, service } from '../side.ts';

const folder = import.meta.dirname;

/** Where the side that was started last writes. */
let latest = '';

function seed(work: string): void {
  latest = join(work, 'bench.db');
  const db = new DatabaseSync(latest);
  db.exec('PRAGMA journal_mode = WAL');
  db.exec('CREATE TABLE orders (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, total REAL)');
  db.close();
}

export const queueSqlite: Benchmark = {
  name: 'queue-sqlite',
  title: 'P-07 from a queue of RabbitMQ through a transformation to SQLite, beside amqplib and node:sqlite',
  run: (conditions) =>
    withQueue({}, async (env) => [
      await drain(
        {
          name: 'P-07 SQLite',
          ours: service(folder, { seed, env }),
          theirs: handWritten(folder, { seed, env }),
          broker: env.BROKER_URL,
          queue: env.QUEUE,
          warmUp: 30_000,
          measured: 50_000,
          written: async () => {
            const db = new DatabaseSync(latest, { readOnly: true });
            try {
              const row = db.prepare('SELECT COUNT(*) AS rows, SUM(total) AS total FROM orders').get();
              return row as { rows: number; total: number };
            } finally {
              db.close();
            }
          },
          clear: async () => undefined,
          floor: 0.6,
        },
        conditions,
      ),
    ]),
};
