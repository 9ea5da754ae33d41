import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../free-port.ts';
import { GoProgram } from '../brought/go-program.ts';
import { probe } from '../probe.ts';
import { makeFolder, startProgram } from '../program.ts';
import type { RunningServer, Server } from '../server.ts';

const program = new GoProgram({
  name: 'ferretdb',
  version: '1.24.2',
  package: 'github.com/FerretDB/FerretDB/ferretdb',
  main: join(import.meta.dirname, 'main.go'),
});

/** `{ ping: 1, $db: "admin" }` as OP_MSG, request 7. */
const ping = Buffer.concat([
  Buffer.from([0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0xdd, 7, 0, 0, 0, 0, 0, 0, 0]),
  Buffer.from([30, 0, 0, 0, 0x10, ...Buffer.from('ping\0'), 1, 0, 0, 0]),
  Buffer.from([2, ...Buffer.from('$db\0'), 6, 0, 0, 0, ...Buffer.from('admin\0'), 0]),
]);
ping.writeInt32LE(ping.length, 0);

/** An answer (OP_MSG) to request 7. */
const answers = (address: string): Promise<boolean> => probe(address, ping, /^[\0-\xff]{8}\x07\0\0\0\xdd\x07\0\0/);

/** The protocol of MongoDB over SQLite. It has no transactions, and no log of changes. */
export const ferretdb: Server = {
  name: 'FerretDB',
  variable: 'TEST_FERRETDB_URL',
  usualAddress: 'mongodb://127.0.0.1:27017/',
  packages: ['golang-go'],
  isInstalled: () => program.isInstalled,
  answers,
  start: startFerretdb,
};

async function startFerretdb(): Promise<RunningServer> {
  const made = await program.made();
  const folder = makeFolder('ferretdb');
  const port = await freePort();
  const data = join(folder, 'data');
  mkdirSync(data);
  return startProgram({
    program: made,
    args: [String(port), data],
    folder,
    address: `mongodb://127.0.0.1:${port}/`,
    signal: 'SIGTERM',
    answers,
  });
}
