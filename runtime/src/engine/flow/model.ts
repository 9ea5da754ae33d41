import type { SourceSpec, Values } from '@svc/protocol/schema';
import type { Part } from './message/part.ts';
import type { flow } from './spec.ts';
import type { Destination } from './stages/destination/destination.ts';
import type { FlowSanitizer } from './stages/sanitize/flow-sanitizer.ts';
import type { Limits } from './stages/sanitize/limits.ts';
import type { Checker } from './stages/validate/checker.ts';
import type { FlowTools } from './tools.ts';
import type { FlowVerb } from './verb.ts';

/** A flow of the configuration with everything that its stages need of it. */
export interface FlowModel {
  readonly name: string;
  readonly values: Values<typeof flow>;
  /** The operation of the trigger. */
  readonly verb: FlowVerb;
  /** What the source of the trigger says of its messages; undefined for a flow that others call. */
  readonly source: Pick<SourceSpec, 'names' | 'input'> | undefined;
  /** Whether a caller waits for the answer; false for messages of a stream. */
  readonly answers: boolean;
  /** The trigger after named operations were resolved; undefined when the flow has no operation. */
  readonly operation: string | undefined;
  /** Completes and checks declared parameters in place; undefined when the operation declares no parameters. */
  readonly parameters: ((input: Record<string, unknown>) => void) | undefined;
  /** Types that the message must match: that of the named operation, that of `validate`. */
  readonly inputTypes: readonly Checker[];
  readonly outputTypes: readonly Checker[];
  readonly limits: Limits;
  /** Modules that its messages are given to before anything else looks at them, in this order. */
  readonly sanitizers: readonly FlowSanitizer[];
  /** Where the flow reads or writes; empty when nothing is written or the destination is not used. */
  readonly destinations: readonly Destination[];
  /** Work of another kind in place of steps, transform and destination, such as that of a saga. */
  readonly work?: ((tools: FlowTools) => readonly Part[]) | undefined;
}

/** Whether the flow reads one destination. */
export function reads({ destinations }: FlowModel): boolean {
  return destinations[0]?.verb === 'read';
}

/** Whether the flow writes somewhere, whatever the operation of its trigger. */
export function writes(model: FlowModel): boolean {
  return model.destinations.length > 0 && !reads(model);
}

/** Whether the flow was asked for something and writes what it would have answered, since nothing can be read of its destinations. */
export function writesAnswer({ verb, destinations }: FlowModel): boolean {
  if (verb !== 'read' || destinations.length === 0) return false;
  return destinations.every(({ use }) => use.takesAnswers);
}

/**
 * Whether transform and enrichments shape each row that is read, instead of running before. A statement or a request
 * takes its values from the transform, which then runs before it.
 */
export function shapesRows(model: FlowModel): boolean {
  const [destination] = model.destinations;
  return reads(model) && destination?.query === undefined && destination?.use.abilities.has('call') !== true;
}
