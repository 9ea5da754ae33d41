import { freePort } from '../free-port.ts';
import { probe } from './probe.ts';
import { findProgram, makeFolder, startProgram } from './program.ts';
import type { Server } from './server.ts';

const answers = (address: string): Promise<boolean> => probe(address, 'PING\r\n', /^(\+PONG|-NOAUTH)/);

export const redis: Server = {
  name: 'Redis',
  variable: 'TEST_REDIS_URL',
  usualAddress: 'redis://127.0.0.1:6379',
  packages: ['redis-server'],
  isInstalled: () => findProgram('redis-server') !== undefined,
  answers,
  async start() {
    const folder = makeFolder('redis');
    const port = await freePort();
    return startProgram({
      program: findProgram('redis-server')!,
      args: ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder],
      folder,
      address: `redis://127.0.0.1:${port}`,
      signal: 'SIGTERM',
      answers,
    });
  },
};
