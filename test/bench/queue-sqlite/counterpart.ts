import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { takeByHand } from '../queues/by-hand.ts';

const db = new DatabaseSync(join(process.argv[2]!, 'bench.db'));
db.exec('PRAGMA synchronous = NORMAL');
const insert = db.prepare('INSERT INTO orders (id, name, email, total) VALUES (?, ?, ?, ?)');

await takeByHand(({ id, name, email }, total) => insert.run(id, name, email, total));
