import { ownDatabase } from '../../support/own-database.ts';
import { postgres } from '../../support/servers/postgres.ts';
import type { Benchmark } from '../benchmark.ts';
import { withQueue } from '../broker.ts';
import { drain } from '../drain.ts';
import { handWritten, service } from '../side.ts';

const folder = import.meta.dirname;

export const queuePostgres: Benchmark = {
  name: 'queue-postgres',
  title: 'P-07 from a queue of RabbitMQ through a transformation to PostgreSQL, beside amqplib and pg',
  run: (conditions) =>
    withQueue({}, async (queue) => {
      const server = process.env[postgres.variable];
      if (server === undefined) throw new Error(`it needs the address of a PostgreSQL server in ${postgres.variable}`);
      const { url, rows, drop } = await ownDatabase(server);
      const env = { ...queue, DATABASE_URL: url };
      await rows('CREATE TABLE orders (id integer PRIMARY KEY, name text NOT NULL, email text NOT NULL, total float8)');
      try {
        return [
          await drain(
            {
              name: 'P-07 PostgreSQL',
              ours: service(folder, { env }),
              theirs: handWritten(folder, { env }),
              broker: queue.BROKER_URL,
              queue: queue.QUEUE,
              warmUp: 10_000,
              measured: 20_000,
              written: async () => {
                const [row] = await rows<{ rows: number; total: number }>(
                  'SELECT COUNT(*)::int AS rows, SUM(total) AS total FROM orders',
                );
                return row as { rows: number; total: number };
              },
              clear: async () => void (await rows('TRUNCATE orders')),
              floor: 0.8,
            },
            conditions,
          ),
        ];
      } finally {
        await drop();
      }
    }),
};
