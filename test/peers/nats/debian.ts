import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { startNats } from '../../support/servers/nats.ts';
import type { Peer } from '../peer.ts';
import { runSuites, type Suites, withServer } from '../suites.ts';

const version = '2.9';

const suites: Suites = {
  variable: 'TEST_NATS_URL',
  paths: {
    runtime: ['conformance', 'settings', 'stream', 'target', 'topology', 'unusable'].map(
      (name) => `src/connectors/mq/nats/${name}.test.ts`,
    ),
  },
};

/** Where the package has it. */
const program = '/usr/sbin/nats-server';

const isThere = (): boolean =>
  existsSync(program) && execFileSync(program, ['--version'], { encoding: 'utf8' }).includes(`v${version}.`);

export const natsOfDebian: Peer = {
  name: 'NATS of Debian 12',
  version,
  ran: 'NATS and JetStream sources and targets',
  needs: [],
  missing: () => (isThere() ? undefined : `nats-server ${version} (apt-get install nats-server, of Debian 12)`),
  run: (tell) => withServer(startNats('', program), (address) => runSuites(address, suites, tell)),
  differs: [
    { checks: /a consumer that does not fit/, because: 'consumers have no priority groups: these came with 2.11' },
  ],
};
