import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { probe } from './probe.ts';
import { findProgram, makeFolder, startProgram } from './program.ts';
import type { Server } from './server.ts';

/** The header of AMQP 0-9-1; the answer names the product. */
const header = Uint8Array.of(65, 77, 81, 80, 0, 0, 9, 1);

/** The one in PATH changes its user and its folder; this one runs as it is started. */
const program = '/usr/lib/rabbitmq/bin/rabbitmq-server';

const answers = (address: string): Promise<boolean> => probe(address, header, /product/);

export const rabbitmq: Server = {
  name: 'RabbitMQ',
  variable: 'TEST_RABBITMQ_URL',
  usualAddress: 'amqp://guest:guest@127.0.0.1:5672',
  packages: ['rabbitmq-server'],
  isInstalled: () => existsSync(program),
  answers,
  async start() {
    const folder = makeFolder('rabbitmq');
    const [port, distribution, mapper] = [await freePort(), await freePort(), await freePort()];
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const listeners = `listeners.tcp.1 = 127.0.0.1:${port}\nloopback_users = none\n`;
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      LANG: 'C.UTF-8',
      RABBITMQ_NODENAME: `test-${port}@localhost`,
      RABBITMQ_DIST_PORT: String(distribution),
      ERL_EPMD_PORT: String(mapper),
      ERL_EPMD_ADDRESS: '127.0.0.1',
      RABBITMQ_MNESIA_BASE: join(folder, 'data'),
      RABBITMQ_LOG_BASE: join(folder, 'log'),
      RABBITMQ_CONFIG_FILE: file('rabbitmq.conf', listeners),
      RABBITMQ_ENABLED_PLUGINS_FILE: file('plugins', '[].'),
      RABBITMQ_CONF_ENV_FILE: '/dev/null',
    };
    return startProgram({
      program,
      args: [],
      folder,
      env,
      address: `amqp://guest:guest@127.0.0.1:${port}`,
      signal: 'SIGTERM',
      answers,
      // The port mapper of Erlang outlives the node that started it.
      after: () => void spawnSync(findProgram('epmd') ?? 'epmd', ['-kill'], { env, stdio: 'ignore' }),
    });
  },
};
