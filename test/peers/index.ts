import { artemisAmqp } from './amqp/artemis.ts';
import { qpid } from './amqp/qpid.ts';
import { go } from './clients/go/go.ts';
import { java } from './clients/java/java.ts';
import { python } from './clients/python/python.ts';
import { hydra } from './identity/hydra.ts';
import { keycloak } from './identity/keycloak.ts';
import { kafkaClients } from './kafka/peers.ts';
import { artemisMqtt } from './mqtt/artemis.ts';
import { hivemq } from './mqtt/hivemq.ts';
import { mochi } from './mqtt/mochi.ts';
import { moquette } from './mqtt/moquette.ts';
import { natsOfDebian } from './nats/debian.ts';
import type { Peer } from './peer.ts';
import { collector } from './telemetry/collector.ts';
import { prometheus } from './telemetry/prometheus.ts';

const brokers: readonly Peer[] = [moquette, hivemq, mochi, artemisMqtt, qpid, artemisAmqp, natsOfDebian];
const telemetry: readonly Peer[] = [collector, prometheus];
const clients: readonly Peer[] = [...kafkaClients, java, go, python];

/** Every peer, in the order in which they are run. */
export const peers: readonly Peer[] = [...brokers, keycloak, hydra, ...telemetry, ...clients];
