import { ownDatabase } from '../../support/own-database.ts';
import { postgres } from '../../support/servers/postgres.ts';
import type { Benchmark } from '../benchmark.ts';
import { drain, expectOrders, type Written } from '../drain.ts';
import { queueFiles } from '../queues/files.ts';
import { rabbitmq } from '../queues/rabbitmq.ts';
import { withServer } from '../queues/source.ts';
import { handWritten, service } from '../side.ts';

const folder = import.meta.dirname;
const files = queueFiles('service', 'rabbitmq', 'add-order');
const table = 'orders (id integer PRIMARY KEY, name text NOT NULL, email text NOT NULL, total float8)';

export const queuePostgres: Benchmark = {
  name: 'queue-postgres',
  title: 'P-07 from a queue of RabbitMQ through a transformation to PostgreSQL, beside amqplib and pg',
  run: (conditions) =>
    withServer(postgres, async (server) => {
      const { url, rows, drop } = await ownDatabase(server);
      await rows(`CREATE TABLE ${table}`);
      const source = { ...rabbitmq, warmUp: 10_000, measured: 20_000 };
      const database = { DATABASE_URL: url };
      try {
        return [
          await source.serve((open) =>
            drain(
              {
                name: 'P-07 PostgreSQL',
                source,
                open: async () => {
                  await rows('TRUNCATE orders');
                  return open();
                },
                ours: (env) => service(folder, { files, env: { ...env, ...database }, hasServer: false }),
                theirs: (env) => handWritten(folder, { env: { ...env, ...database } }),
                written: async (count) => {
                  const [row] = await rows<Written>('SELECT COUNT(*)::int AS rows, SUM(total) AS total FROM orders');
                  expectOrders(row, count);
                },
                floor: 0.8,
              },
              conditions,
            ),
          ),
        ];
      } finally {
        await drop();
      }
    }),
};
