import pg from 'pg';
import { takeByHand } from '../queues/by-hand.ts';

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });

await takeByHand(({ id, name, email }, total) =>
  pool.query({
    name: 'insert',
    text: 'INSERT INTO orders (id, name, email, total) VALUES ($1, $2, $3, $4)',
    values: [id, name, email, total],
  }),
);
