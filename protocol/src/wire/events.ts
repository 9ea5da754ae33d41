import type { Capability } from './methods.ts';
import type { DroppedMessage, OutboxEntry, StoppedRule } from './shapes.ts';

interface Event<P = unknown> {
  readonly doc: string;
  /** Members, as the page lists them. */
  readonly params: string;
  /** Trace events may be left out for a client that does not read; the others never are. */
  readonly lane: 'kept' | 'trace';
  /** Sent only to clients that said they understand it. */
  readonly needs?: Capability;
  /** Holds the type of the parameters; there is no value. */
  readonly shape?: P;
}

function event<P>(spec: Omit<Event<P>, 'shape'>): Event<P> {
  return spec;
}

interface InFlow {
  readonly threadId: string;
  readonly flowName: string;
}

interface InStage extends InFlow {
  readonly stage: string;
  readonly name: string;
}

/** Every event of the debug endpoint. Durations are microseconds without paused time. */
export const events = {
  'event.flowStart': event<InFlow & { readonly input: unknown }>({
    doc: 'A request began.',
    params: '`threadId`, `flowName`, `input`',
    lane: 'trace',
  }),
  'event.flowEnd': event<
    InFlow & {
      readonly output: unknown;
      readonly durationUs: number;
      readonly pausedUs: number;
      readonly error: string;
      readonly dropped: DroppedMessage | null;
    }
  >({
    doc: 'A request ended. `dropped` tells why its message was dropped, and is null when it was not.',
    params:
      '`threadId`, `flowName`, `output`, `durationUs`, `pausedUs`, `error` (empty on success), `dropped {reason, decidedBy, expression, policy, values}`',
    lane: 'kept',
  }),
  'event.stageEnter': event<InStage & { readonly input: unknown }>({
    doc: 'A stage is about to begin.',
    params: '`threadId`, `flowName`, `stage`, `name`, `input`',
    lane: 'trace',
  }),
  'event.stageExit': event<
    InStage & {
      readonly output: unknown;
      readonly durationUs: number;
      readonly pausedUs: number;
      readonly error: string;
    }
  >({
    doc: 'A stage ended.',
    params: '`threadId`, `flowName`, `stage`, `name`, `output`, `durationUs`, `pausedUs`, `error`',
    lane: 'trace',
  }),
  'event.ruleEval': event<
    InStage & {
      readonly ruleIndex: number;
      readonly target: string;
      readonly expression: string;
      readonly result: unknown;
      readonly error: string;
    }
  >({
    doc: 'A rule was evaluated.',
    params: '`threadId`, `flowName`, `stage`, `name`, `ruleIndex`, `target`, `expression`, `result`, `error`',
    lane: 'trace',
  }),
  'event.stopped': event<
    InStage & { readonly rule?: StoppedRule | undefined; readonly reason: string; readonly message: string }
  >({
    doc: 'A thread is paused. `message` says what failed when a condition did, or which failure stopped it.',
    params:
      '`threadId`, `flowName`, `stage`, `name`, `rule {index, target, expression}` (before a rule only), `reason`, `message`',
    lane: 'kept',
  }),
  'event.continued': event<{ readonly threadId: string }>({
    doc: 'A paused thread runs.',
    params: '`threadId`',
    lane: 'kept',
  }),
  'event.log': event<InStage & { readonly ruleIndex: number; readonly message: string }>({
    doc: 'A breakpoint with a log message was reached.',
    params: '`threadId`, `flowName`, `stage`, `name`, `ruleIndex`, `message`',
    lane: 'trace',
    needs: 'log',
  }),
  'event.captured': event<OutboxEntry>({
    doc: 'A notification was captured instead of sent.',
    params: '`name`, `at`, `connector`, `provider`, `medium`, `place`, `to`, `recipients`, `title`, `text`',
    lane: 'kept',
    needs: 'outbox',
  }),
  'event.dropped': event<{ readonly count: number }>({
    doc: 'So many trace events were left out since this was last said; once a second at most.',
    params: '`count`',
    lane: 'kept',
    needs: 'dropped',
  }),
} as const;

export type Events = typeof events;
export type EventName = keyof Events;
export type EventParams<E extends EventName> = Events[E] extends Event<infer P> ? P : never;
