import { join } from 'node:path';
import { probe } from '../../support/servers/probe.ts';
import { runCommand } from '../../support/service.ts';
import { artemisJars, artemisVersion, startArtemis } from '../artemis/broker.ts';
import { missingFor } from '../java.ts';
import type { Outcome, Peer } from '../peer.ts';
import { withServer } from '../suites.ts';

/** The header of AMQP 1.0, which the broker sends back. */
const header = Uint8Array.of(65, 77, 81, 80, 0, 1, 0, 0);
const answers = (address: string) => probe(address, header, /^AMQP/);

const said = 'the broker speaks AMQP 1.0: this connector speaks AMQP 0-9-1';

async function refused(address: string): Promise<Outcome[]> {
  const check = 'a service that is to take messages of it does not start, and says why';
  const { code, stdout, stderr } = await runCommand(['start', '-c', join(import.meta.dirname, 'service')], {
    BROKER: address.replace('//', '//guest:guest@'),
  });
  const output = `${stdout}${stderr}`;
  if (code === 1 && output.includes(said)) return [{ check }];
  return [{ check, error: `it ended with ${code}: ${output.slice(-300)}` }];
}

export const artemisAmqp: Peer = {
  name: 'ActiveMQ Artemis (AMQP)',
  version: artemisVersion,
  ran: 'the start of a service with its address',
  needs: [],
  missing: () => missingFor(artemisJars),
  run: () => withServer(startArtemis('AMQP', answers), refused),
  differs: [],
};
