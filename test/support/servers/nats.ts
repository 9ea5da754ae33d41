import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { GoProgram } from './brought/go-program.ts';
import { probe } from './probe.ts';
import { findProgram, makeFolder, startProgram } from './program.ts';
import type { RunningServer, Server } from './server.ts';

/** The current one; where there is no Go, that of the system serves. */
const current = new GoProgram({
  name: 'nats-server',
  version: '2.15.2',
  package: 'github.com/nats-io/nats-server/v2',
});

const program = (): string | undefined => current.kept ?? findProgram('nats-server');

/** Whether a server can be started at once. */
export const hasNats = (): boolean => program() !== undefined;

/** A server says of itself first who it is; one that speaks TLS at once says nothing. */
const answers = (address: string): Promise<boolean> => probe(address, 'PING\r\n', /^INFO /);

/** Starts a server of its own, with streams. `lines` are added to its configuration; `path` is that of another program. */
export async function startNats(lines = '', path = program()): Promise<RunningServer & { readonly port: number }> {
  const folder = makeFolder('nats');
  const port = await freePort();
  const configuration = join(folder, 'nats.conf');
  writeFileSync(
    configuration,
    `host: 127.0.0.1\nport: ${port}\njetstream { store_dir: "${folder}/streams" }\n${lines}\n`,
  );
  const server = await startProgram({
    program: path as string,
    args: ['-c', configuration],
    folder,
    address: `nats://127.0.0.1:${port}`,
    signal: 'SIGTERM',
    answers,
  });
  return { ...server, port };
}

export const nats: Server = {
  name: 'NATS',
  variable: 'TEST_NATS_URL',
  usualAddress: 'nats://127.0.0.1:4222',
  packages: ['nats-server'],
  isInstalled: () => current.isInstalled || findProgram('nats-server') !== undefined,
  answers,
  async start() {
    if (current.isInstalled) await current.made().catch(useThatOfTheSystem);
    return startNats();
  },
};

function useThatOfTheSystem(reason: Error): void {
  if (!hasNats()) throw reason;
  console.log(`FETCH   NATS of the system is used: ${reason.message}`);
}
