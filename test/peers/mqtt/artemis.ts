import { mosquitto } from '../../support/servers/mosquitto.ts';
import { artemisJars, artemisVersion, startArtemis } from '../artemis/broker.ts';
import { missingFor } from '../java.ts';
import { mqttPeer } from './peer.ts';

export const artemisMqtt = mqttPeer({
  name: 'ActiveMQ Artemis (MQTT)',
  version: artemisVersion,
  missing: () => missingFor(artemisJars),
  start: () => startArtemis('MQTT', mosquitto.answers),
  differs: [
    {
      checks: /quality of service 2 (at most prefetch|stopped in the middle)/,
      because:
        'with version 5 and quality of service 2 it sends more than `prefetch` and may cease to send: write `qos = 1` or version 3.1.1',
    },
  ],
});
