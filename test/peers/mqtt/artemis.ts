import { mosquitto } from '../../support/servers/mosquitto.ts';
import { artemisJars, artemisVersion, startArtemis } from '../artemis/broker.ts';
import { missingFor } from '../java.ts';
import { mqttPeer } from './peer.ts';

export const artemisMqtt = mqttPeer({
  name: 'ActiveMQ Artemis (MQTT)',
  version: artemisVersion,
  missing: () => missingFor(artemisJars),
  start: () => startArtemis('MQTT', mosquitto.answers),
  differs: [],
});
