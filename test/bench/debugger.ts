// What the debugger costs: with nobody attached beside a service without one, and with a client that only listens.
import { joinedChannels } from '@svc/protocol/wire';
import type { Connector } from '../../runtime/src/connectors/contract.ts';
import { notServed } from '../../runtime/src/debug/access.ts';
import { DebugDoor } from '../../runtime/src/debug/door.ts';
import { systemClock } from '../../runtime/src/observe/clock.ts';
import type { Log } from '../../runtime/src/observe/log.ts';
import { compilePlan } from '../../runtime/src/plan/compile.ts';
import type { FlowProbe } from '../../runtime/src/plan/plan.ts';
import { load, messageOf } from '../../runtime/src/plan/testing/service.ts';

const rules = 20;
const configuration = `flow "none" {
  from {
    connector = "api"
    operation = "POST /none"
  }
  response { id = "input.name" }
}
flow "many" {
  from {
    connector = "api"
    operation = "POST /many"
  }
  response {
${Array.from({ length: rules + 1 }, (_, at) => `    id${at} = "input.name"`).join('\n')}
  }
}
`;

const quiet = (): void => undefined;
const log: Log = { enabled: () => false, debug: quiet, info: quiet, warn: quiet, error: quiet, with: () => log };
const stub: FlowProbe = { attached: false, begin: quiet, enter: quiet, leave: quiet, end: quiet };
const project = load(configuration);

function bound(probe: FlowProbe) {
  const connectors = new Map<string, Connector>(
    [...project.connectors.keys()].map((name) => [
      name,
      { name, open: async () => undefined, close: async () => undefined },
    ]),
  );
  const observer = { started: quiet, finished: quiet, cache: quiet, invalidateFailed: quiet, connectorCall: quiet };
  const services = { log, clock: systemClock, environment: 'production', production: true, directory: '/', observer };
  const { bindings, stages } = compilePlan(project).bind(connectors, { ...services, probe });
  const all = [...bindings.values()].flat();
  const flow = (name: string) => {
    const found = all.find((binding) => binding.flow === name);
    if (!found) throw new Error(`there is no flow ${name}`);
    return () => found.deliver(messageOf({ name: 'Ann' }));
  };
  return { stages, none: flow('none'), many: flow('many') };
}

const door = new DebugDoor({
  access: notServed,
  clock: systemClock,
  log,
  variables: {},
  masksNames: false,
  maxPause: 1_000,
});
const withoutDebugger = bound(stub);
const withDebugger = bound(door.probe);
door.serve(() => ({ project, stages: withDebugger.stages }));

/** Nanoseconds of one round. */
async function timed(work: () => unknown, count: number): Promise<number> {
  const began = process.hrtime.bigint();
  for (let at = 0; at < count; at++) {
    const outcome = work();
    if (outcome instanceof Promise) await outcome;
  }
  return Number(process.hrtime.bigint() - began) / count;
}

const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] as number;

const plain: number[] = [];
const idle: number[] = [];
for (let round = 0; round < 41; round++) {
  plain.push(await timed(withoutDebugger.many, 10_000));
  idle.push(await timed(withDebugger.many, 10_000));
}
const [plainTime, idleTime] = [median(plain), median(idle)];
console.log(
  `  nobody attached: ${idleTime.toFixed(0)} ns a flow, without a debugger ${plainTime.toFixed(0)} ns, ` +
    `difference ${(((idleTime - plainTime) / plainTime) * 100).toFixed(1)} %`,
);

const [ours, theirs] = joinedChannels();
await door.connect(theirs);
const attached = Promise.withResolvers<void>();
// What a client does with the events is its own cost.
ours.receive(() => attached.resolve());
void ours.send('{"jsonrpc":"2.0","id":1,"method":"debug.attach"}');
await attached.promise;
await timed(withDebugger.many, 2_000);
const attachedNone = await timed(withDebugger.none, 5_000);
const attachedMany = await timed(withDebugger.many, 5_000);
console.log(
  `  attached, no breakpoints: ${(attachedNone / 1000).toFixed(1)} µs a flow of one rule with all its events, ` +
    `${((attachedMany - attachedNone) / rules / 1000).toFixed(2)} µs for each further rule`,
);
ours.close();
