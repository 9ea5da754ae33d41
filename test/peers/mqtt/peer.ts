import type { RunningServer } from '../../support/servers/server.ts';
import type { Peer } from '../peer.ts';
import { runSuites, type Suites, withServer } from '../suites.ts';
import { killedRepeatedly } from './kills.ts';

/** What asks for a broker of MQTT. */
const suites: Suites = {
  variable: 'TEST_MQTT_URL',
  paths: {
    runtime: ['conformance', 'connector', 'session', 'publish/publish'].map(
      (name) => `src/connectors/mqtt/${name}.test.ts`,
    ),
  },
};

export interface MqttBroker extends Omit<Peer, 'ran' | 'run'> {
  readonly start: () => Promise<RunningServer>;
}

/** A broker of another maker in the place of Mosquitto. */
export function mqttPeer({ start, ...peer }: MqttBroker): Peer {
  return {
    ...peer,
    ran: 'MQTT sources and targets; 1,050 messages while the service is killed three times',
    needs: [],
    run: (tell) =>
      withServer(start(), async (address) => [
        await killedRepeatedly(address),
        ...(await runSuites(address, suites, tell)),
      ]),
  };
}
