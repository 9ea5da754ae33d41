import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.ts';
import { KeptFolder } from '../../support/servers/brought/kept-folder.ts';
import { fetchStep, step } from '../../support/servers/brought/step.ts';
import { findProgram, makeFolder, startProgram } from '../../support/servers/program.ts';
import type { RunningServer } from '../../support/servers/server.ts';

export const version = '26.7.3';
export const administrator = { name: 'admin', password: 'only-for-this-machine' } as const;

const launcher = `keycloak-${version}/bin/kc.sh`;
const distribution = new KeptFolder({
  name: `keycloak-${version}`,
  isWhole: (folder) => existsSync(join(folder, launcher)),
  make: async (folder) => {
    const artifact = `org.keycloak:keycloak-quarkus-dist:${version}:zip`;
    const unpack = ['-q', '-B', 'dependency:unpack', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`];
    const mvn = findProgram('mvn') as string;
    const run = (args: readonly string[]) => fetchStep(mvn, args, { cwd: folder });
    await run(['-o', ...unpack]).catch(() => run(unpack));
    // Its data are in memory, and it asks browsers and clients for a certificate.
    const settings = ['--db=dev-mem', '--https-client-auth=request', '--features-disabled=organization'];
    await step('/bin/sh', [join(folder, launcher), 'build', ...settings]);
  },
});

/** What this machine lacks to have it; absent when nothing is lacking. */
export function missingKeycloak(): string | undefined {
  if (findProgram('java') === undefined) return 'java (apt-get install default-jdk-headless)';
  return distribution.isMade || findProgram('mvn') !== undefined ? undefined : 'mvn (apt-get install maven)';
}

/** Starts it at https://localhost:<port>, which the certificates of the folder are for. */
export async function startKeycloak(certificates: string): Promise<RunningServer> {
  const home = await distribution.made();
  const [port, management] = [await freePort(), await freePort()];
  const address = `https://localhost:${port}`;
  const settings = {
    hostname: address,
    'https-port': port,
    'http-management-port': management,
    'https-certificate-file': join(certificates, 'server.pem'),
    'https-certificate-key-file': join(certificates, 'server.key'),
    'truststore-paths': join(certificates, 'ca.pem'),
    cache: 'local',
  };
  return startProgram({
    program: join(home, launcher),
    args: ['start', '--optimized', ...Object.entries(settings).map(([name, value]) => `--${name}=${value}`)],
    folder: makeFolder('keycloak'),
    env: {
      ...process.env,
      KC_BOOTSTRAP_ADMIN_USERNAME: administrator.name,
      KC_BOOTSTRAP_ADMIN_PASSWORD: administrator.password,
      JAVA_OPTS_KC_HEAP: '-Xms64m -Xmx512m',
    },
    address,
    signal: 'SIGTERM',
    within: 300_000,
    answers: async (at) => (await fetch(`${at}/realms/master`).catch(() => undefined))?.ok === true,
  });
}
