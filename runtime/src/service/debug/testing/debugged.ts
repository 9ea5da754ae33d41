import { type EventName, joinedChannels, WireClient } from '@svc/protocol/wire';
import { compilePlan } from '../../../engine/plan/compile.ts';
import { planServices } from '../../../engine/plan/testing/plan-services.ts';
import { type Answer, load, serve } from '../../../engine/plan/testing/service.ts';
import type { Storage } from '../../../foundation/contracts/storage.ts';
import { memoryLog } from '../../running/testing/fakes.ts';
import { ManualClock } from '../../running/testing/manual-clock.ts';
import { type AccessRules, notServed } from '../connection/access.ts';
import { DebugEntryPoint } from '../connection/entry-point.ts';

/** Its second rule fails when `n` is 0. */
export const flow = `flow "f" {
  from {
    connector = "api"
    operation = "POST /x"
  }
  transform {
    a = "input.n + 1.0"
    b = "1 / int(input.n)"
  }
  to {
    connector = "db"
    target    = "t"
  }
}`;
/** The same flow, which never fails. */
export const fine = flow.replace('1 / int(input.n)', 'input.n');

/** A service over the configuration, with the debugger of a real one and a clock that does not advance. */
export async function debugged(
  configuration = fine,
  options: {
    masksNames?: boolean;
    variables?: Record<string, string>;
    access?: AccessRules;
    answer?: Answer;
    storage?: Storage;
  } = {},
) {
  const clock = new ManualClock();
  const { log, lines } = memoryLog();
  const entryPoint = new DebugEntryPoint({
    access: options.access ?? notServed,
    clock,
    log,
    variables: options.variables ?? {},
    masksNames: options.masksNames ?? false,
    maxPause: 1_000,
  });
  const project = load(configuration);
  const connectors = new Map(
    [...project.connectors.keys()].map((name) => [
      name,
      {
        name,
        open: async () => undefined,
        close: async () => undefined,
        target: { prepare: () => () => ({ affected: 1 }) },
        ...(options.storage === undefined ? {} : { storage: options.storage }),
      },
    ]),
  );
  const { stages, answers } = compilePlan(project).bind(
    connectors,
    planServices({ log, clock, probe: entryPoint.probe }),
  );
  entryPoint.serve(() => ({ project, stages, answers }));
  const service = await serve(configuration, {
    probe: entryPoint.probe,
    clock,
    ...(options.answer === undefined ? {} : { answer: options.answer }),
    ...(options.storage === undefined ? {} : { storage: options.storage }),
  });
  return { ...service, entryPoint, clock, lines };
}

export type Debugged = Awaited<ReturnType<typeof debugged>>;

/** A client that is attached, joined in memory. */
export async function client({ entryPoint }: Debugged, capabilities: string[] = []) {
  const [ours, theirs] = joinedChannels();
  const wire = new WireClient(ours);
  await entryPoint.connect(theirs);
  await wire.call('debug.attach', { capabilities });
  return wire;
}

/** Parameters of the event that comes next. */
export function next<E extends EventName>(wire: WireClient, event: E): Promise<Record<string, unknown>> {
  return new Promise((resolve) => {
    const forget = wire.on(event, (params) => {
      forget();
      resolve(params as unknown as Record<string, unknown>);
    });
  });
}

export const stopAt = (wire: WireClient, ...breakpoints: { stage: string; ruleIndex: number; condition?: string }[]) =>
  wire.call('debug.setBreakpoints', { flow: 'f', breakpoints });
