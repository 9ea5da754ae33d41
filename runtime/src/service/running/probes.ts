import type { FlowProbe } from '../../foundation/contracts/probe.ts';
import { combineProbes } from '../../platform/telemetry/probes.ts';
import type { ServiceSetup } from './setup.ts';

/** Everything that watches the flows of a service, as one; no cost arises when nothing watches. */
export function watchingProbe({ debug, probe }: Pick<ServiceSetup, 'debug' | 'probe'>): FlowProbe {
  const watching = [debug?.probe, probe?.()].filter((each) => each !== undefined);
  return combineProbes(watching) ?? unobserved;
}

const unobserved: FlowProbe = {
  attached: false,
  begin: () => undefined,
  enter: () => undefined,
  leave: () => undefined,
  end: () => undefined,
};
