import { go } from './clients/go/go.ts';
import { python } from './clients/python/python.ts';
import { hydra } from './identity/hydra.ts';
import { keycloak } from './identity/keycloak.ts';
import { moquette } from './mqtt/moquette.ts';
import type { Peer } from './peer.ts';
import { collector } from './telemetry/collector.ts';

/** Every peer, in the order in which they are run. */
export const peers: readonly Peer[] = [moquette, keycloak, hydra, collector, go, python];
