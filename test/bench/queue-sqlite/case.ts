import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Benchmark } from '../benchmark.ts';
import { drain, expectOrders, type Written } from '../drain.ts';
import { queueFiles } from '../queues/files.ts';
import { rabbitmq } from '../queues/rabbitmq.ts';
import { handWritten, service } from '../side.ts';

const folder = import.meta.dirname;
const files = queueFiles('service', 'rabbitmq', 'add-order');

/** Where the side that was started last writes. */
let latest = '';

function seed(work: string): void {
  latest = join(work, 'bench.db');
  const db = new DatabaseSync(latest);
  db.exec('PRAGMA journal_mode = WAL');
  db.exec('CREATE TABLE orders (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, total REAL)');
  db.close();
}

async function written(count: number): Promise<void> {
  const db = new DatabaseSync(latest, { readOnly: true });
  try {
    const row = db.prepare('SELECT COUNT(*) AS rows, SUM(total) AS total FROM orders').get();
    expectOrders(row as Written | undefined, count);
  } finally {
    db.close();
  }
}

export const queueSqlite: Benchmark = {
  name: 'queue-sqlite',
  title: 'P-07 from a queue of RabbitMQ through a transformation to SQLite, beside amqplib and node:sqlite',
  run: (conditions) =>
    rabbitmq.serve(async (open) => [
      await drain(
        {
          name: 'P-07 SQLite',
          source: rabbitmq,
          open,
          ours: (env) => service(folder, { files, seed, env, hasServer: false }),
          theirs: (env) => handWritten(folder, { seed, env }),
          written,
          floor: 0.6,
        },
        conditions,
      ),
    ]),
};
