import { compilePlan } from '../../../runtime/src/engine/plan/compile.ts';
import { planServices } from '../../../runtime/src/engine/plan/testing/plan-services.ts';
import { load, messageOf } from '../../../runtime/src/engine/plan/testing/service.ts';
import type { Connector } from '../../../runtime/src/foundation/contracts/connector.ts';
import type { FlowProbe } from '../../../runtime/src/foundation/contracts/probe.ts';
import { systemClock } from '../../../runtime/src/foundation/observe/clock.ts';
import type { Log } from '../../../runtime/src/foundation/observe/log.ts';
import { notServed } from '../../../runtime/src/service/debug/connection/access.ts';
import { DebugEntryPoint } from '../../../runtime/src/service/debug/connection/entry-point.ts';

/** Rules that flow `many` has more than flow `one`. */
export const moreRules = 20;

const fields = Array.from({ length: moreRules + 1 }, (_, at) => `    id${at} = "input.name"`);
const configuration = `flow "one" {
  from {
    connector = "api"
    operation = "POST /one"
  }
  response {
${fields[0]}
  }
}
flow "many" {
  from {
    connector = "api"
    operation = "POST /many"
  }
  response {
${fields.join('\n')}
  }
}
`;

const quiet = (): void => undefined;
const log: Log = { enabled: () => false, debug: quiet, info: quiet, warn: quiet, error: quiet, with: () => log };
const project = load(configuration);

type Deliver = () => unknown;

function bound(probe: FlowProbe) {
  const connectors = new Map<string, Connector>(
    [...project.connectors.keys()].map((name) => [
      name,
      { name, open: async () => undefined, close: async () => undefined },
    ]),
  );
  const services = planServices({ environment: 'production', production: true, probe });
  const { bindings, stages } = compilePlan(project).bind(connectors, services);
  const all = [...bindings.values()].flat();
  const flow = (name: string): Deliver => {
    const found = all.find((binding) => binding.flow === name);
    if (!found) throw new Error(`there is no flow ${name}`);
    return () => found.deliver(messageOf({ name: 'Ann', n: 1 }));
  };
  return { stages, one: flow('one'), many: flow('many') };
}

const stub: FlowProbe = { attached: false, begin: quiet, enter: quiet, leave: quiet, end: quiet };
export const withoutDebugger = bound(stub);

export const entryPoint = new DebugEntryPoint({
  access: { ...notServed, enabled: true, trustsLoopback: true },
  clock: systemClock,
  log,
  variables: {},
  masksNames: false,
  maxPause: 60_000,
});
export const withDebugger = bound(entryPoint.probe);
entryPoint.serve(() => ({ project, stages: withDebugger.stages }));

export const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Nanoseconds of one run of the work, with a turn of the event loop now and then, as between requests. */
export async function timed(work: Deliver, count: number): Promise<number> {
  const began = process.hrtime.bigint();
  for (let at = 1; at <= count; at++) {
    const outcome = work();
    if (outcome instanceof Promise) await outcome;
    if (at % 16 === 0) await turn();
  }
  return Number(process.hrtime.bigint() - began) / count;
}
