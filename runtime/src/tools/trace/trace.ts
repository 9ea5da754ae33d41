import type { Diagnostic } from '@svc/protocol/text';
import { resolveOperation } from '../../connectors/core/operations.ts';
import { flowsOf } from '../../engine/flow/declarations.ts';
import type { ConnectorServices } from '../../foundation/contracts/connector.ts';
import type { Outcome } from '../../foundation/contracts/outcome.ts';
import type { Plan } from '../../foundation/contracts/plan.ts';
import type { FlowProbe } from '../../foundation/contracts/probe.ts';
import { combineProbes } from '../../platform/telemetry/probes.ts';
import type { Secrecy } from '../../service/debug/values/snapshot.ts';
import { messageOf, type TypedMessage } from './message.ts';
import { openFlow } from './open.ts';
import { recordedOutcome } from './outcome.ts';
import type { Places } from './places.ts';
import { Recorder } from './recorder.ts';
import type { Recording } from './recording.ts';
import type { Stages } from './stepping/held-flow.ts';

/** A component that pauses the flow at times, such as a debugger in a terminal. */
export interface Stepper {
  readonly probe: FlowProbe;
  /** Milliseconds for which the flow was paused so far. */
  readonly paused: () => number;
  /** Called once with the stops of the flow, before the flow runs. */
  begin(stages: Stages): Promise<void>;
  /** Resolves when the user ends the flow. */
  readonly ended: Promise<void>;
}

export interface TraceOptions {
  readonly plan: Plan;
  readonly diagnostics: readonly Diagnostic[];
  readonly flow: string;
  readonly message: TypedMessage;
  readonly dryRun: boolean;
  readonly services: Omit<ConnectorServices, 'http' | 'lookup' | 'storage'>;
  readonly secrecy: Secrecy;
  /** Texts that are never shown, such as values of the environment. */
  readonly hidden?: Iterable<string> | undefined;
  readonly places: Places;
  readonly stepper?: Stepper | undefined;
  /** Ends the flow as a caller that disconnects does. */
  readonly signal: AbortSignal;
  /** Longest wait for one connector, in milliseconds. */
  readonly openTimeout: number;
}

/**
 * Runs one flow for one message with everything that it uses, and returns what it did; undefined when the stepper ended
 * it. Rejects with an InputProblem or an UnreachableProblem.
 */
export async function trace(options: TraceOptions): Promise<Recording | undefined> {
  const { plan, flow, dryRun, services, secrecy, places, stepper, signal } = options;
  const message = messageOf(options.message, operationOf(plan, flow), signal);
  const recorder = new Recorder({
    clock: services.clock,
    secrecy,
    hidden: options.hidden,
    places,
    paused: stepper?.paused ?? (() => 0),
    stages: () => opened.stages,
  });
  const opened = await openFlow({
    ...options,
    probe: combineProbes(stepper === undefined ? [recorder] : [recorder, stepper.probe]) as FlowProbe,
    simulated: dryRun ? recorder.simulated : undefined,
  });
  try {
    await stepper?.begin(opened.stages);
    const ended = await Promise.race([runToEnd(() => opened.run(message)), stepper?.ended ?? never]);
    if (ended === undefined) return undefined;
    await opened.settled();
    const [run] = recorder.recorded();
    if (run === undefined) throw new Error(`flow "${flow}" did not begin`);
    const failure = ended.failure ?? recorder.failure;
    return {
      flow,
      dryRun,
      run,
      outcome: recordedOutcome({ outcome: ended.outcome, failure, run }, places, recorder.secrecy),
    };
  } finally {
    await opened.close();
  }
}

const never = new Promise<undefined>(() => undefined);

async function runToEnd(run: () => Outcome | Promise<Outcome>) {
  try {
    return { outcome: await run(), failure: undefined };
  } catch (failure) {
    return { outcome: undefined, failure };
  }
}

/** The trigger of a flow after named operations were resolved (`GET /orders/:id`). */
export function operationOf({ project }: Pick<Plan, 'project'>, flow: string): string | undefined {
  const values = flowsOf(project).find(({ name }) => name === flow)?.values;
  const source = project.connectors.get(values?.from?.connector ?? '');
  return (source && resolveOperation(source, values?.from?.operation))?.operation ?? values?.from?.operation;
}
