import type { WatchedStage } from '../../foundation/contracts/probe.ts';
import { TestClock } from './clock.ts';
import { Recorder } from './recorder.ts';
import { servicesOf } from './services.ts';
import { TestLog } from './test-log.ts';
import { FlowWatch } from './watch.ts';
import type { World } from './world.ts';

/** Every stage of every flow, whatever the tests reach. */
export function stagesOf({
  plan,
  project,
  expressions,
  directory,
}: World): ReadonlyMap<string, readonly WatchedStage[]> {
  const clock = new TestClock(0);
  const recorder = new Recorder({
    project,
    mocks: [],
    clock,
    expression: (source) => expressions.expression(source, ''),
    readJson: () => undefined,
    real: undefined,
  });
  const services = servicesOf({
    clock,
    log: new TestLog(),
    directory,
    probe: new FlowWatch(undefined),
    isolated: true,
    failed: () => undefined,
    background: new Set(),
    shared: new Map(),
  });
  return plan.bind(recorder.standIns(plan.connectors), services).stages;
}
