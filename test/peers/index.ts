import { artemisAmqp } from './amqp/artemis.ts';
import { qpid } from './amqp/qpid.ts';
import { kafkaClients } from './kafka/peers.ts';
import { artemisMqtt } from './mqtt/artemis.ts';
import { hivemq } from './mqtt/hivemq.ts';
import { mochi } from './mqtt/mochi.ts';
import { moquette } from './mqtt/moquette.ts';
import { natsOfDebian } from './nats/debian.ts';
import type { Peer } from './peer.ts';

/** Every peer, in the order in which they are run. */
export const peers: readonly Peer[] = [
  moquette,
  hivemq,
  mochi,
  artemisMqtt,
  qpid,
  artemisAmqp,
  natsOfDebian,
  ...kafkaClients,
];
