import { execFileSync } from 'node:child_process';
import { Unobtainable } from './brought/step.ts';
import { chromium } from './chromium.ts';
import { exim } from './exim.ts';
import { ferretdb } from './ferretdb/server.ts';
import { clang, libreOffice, phpSoap, poppler, pythonDkim, pythonGrpc, xmllint, zeep } from './installed-program.ts';
import { kafka } from './kafka/server.ts';
import { mariadb } from './mariadb.ts';
import { mosquitto } from './mosquitto.ts';
import { moto } from './moto.ts';
import { nats } from './nats.ts';
import { opensearch } from './opensearch/server.ts';
import { postgres } from './postgres.ts';
import { findProgram } from './program.ts';
import { rabbitmq } from './rabbitmq.ts';
import { redis } from './redis.ts';
import type { RunningServer, Server } from './server.ts';
import { sshd } from './sshd.ts';
import { swift } from './swift/server.ts';
import { vsftpd } from './vsftpd.ts';

export type { RunningServer, Server } from './server.ts';

/** Every kind of server that tests can use. */
export const servers: readonly Server[] = [
  postgres,
  mariadb,
  redis,
  rabbitmq,
  mosquitto,
  nats,
  kafka,
  sshd,
  vsftpd,
  exim,
  swift,
  moto,
  opensearch,
  ferretdb,
  chromium,
  libreOffice,
  xmllint,
  poppler,
  zeep,
  pythonGrpc,
  pythonDkim,
  phpSoap,
  clang,
];

/** What became of one server. */
export type Found =
  | { readonly server: Server; readonly address: string; readonly how: string }
  | {
      readonly server: Server;
      readonly missing: string;
      /** Whether nothing of this machine can bring it. */
      readonly isUnobtainable?: boolean;
    };

export interface Ground {
  readonly found: readonly Found[];
  /** The variables that carry the addresses to the tests. */
  readonly environment: Readonly<Record<string, string>>;
  /** Stops what was started here. */
  tearDown(): Promise<void>;
}

/**
 * Finds or starts each server: the address that the environment names; a private instance of an installed program; the
 * same after an installation with apt (when tests may not be skipped, as root); one that already runs at the usual
 * address, only with TEST_USE_RUNNING=1, since it may hold data of others.
 */
export async function bringUp(wanted: readonly Server[] = servers): Promise<Ground> {
  const running: RunningServer[] = [];
  installMissing(wanted);
  const found = await Promise.all(
    wanted.map(async (server): Promise<Found> => {
      const given = process.env[server.variable];
      if (given !== undefined && given !== '') return { server, address: given, how: `named by ${server.variable}` };
      if (server.isInstalled()) {
        try {
          const instance = await server.start();
          running.push(instance);
          return { server, address: instance.address, how: 'private instance' };
        } catch (error) {
          const missing = (error as Error).message;
          return { server, missing, ...(error instanceof Unobtainable && { isUnobtainable: true }) };
        }
      }
      if (process.env['TEST_USE_RUNNING'] === '1' && (await server.answers(server.usualAddress))) {
        return { server, address: server.usualAddress, how: 'already running here' };
      }
      const command = `apt-get install ${server.packages.join(' ')}`;
      return { server, missing: `not installed (${command}), and ${server.variable} is not set` };
    }),
  );
  return {
    found,
    environment: Object.fromEntries(
      found.flatMap((each) => ('address' in each ? [[each.server.variable, each.address]] : [])),
    ),
    async tearDown() {
      await Promise.all(running.map((instance) => instance.stop()));
    },
  };
}

function installMissing(wanted: readonly Server[]): void {
  const required = process.env['REQUIRE_SERVICES'] === '1' || (process.env['CI'] ?? '') !== '';
  if (!required || process.getuid?.() !== 0 || findProgram('apt-get') === undefined) return;
  const packages = wanted
    .filter((server) => (process.env[server.variable] ?? '') === '' && !server.isInstalled())
    .flatMap((server) => server.packages);
  if (packages.length === 0) return;
  console.log(`installing ${packages.join(', ')} with apt`);
  const options = { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const;
  try {
    execFileSync('apt-get', ['update', '-qq'], options);
    const flags = ['-y', '-qq', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120'];
    execFileSync('apt-get', ['install', ...flags, ...packages], options);
  } catch (error) {
    console.error(`apt could not install them: ${(error as Error).message}`);
  }
}
