import type { Thread } from '../debug/session/thread.ts';

/** A message that a flow was given while this window was attached. */
export interface TakenMessage {
  /** Unique in this window; a thread's own id counts from the start of its service. */
  readonly key: string;
  readonly connector: string;
  /** As it was last known. */
  readonly thread: Thread;
  /** The debugger lost sight of it while it was under way: what became of it is not known. */
  readonly isLost: boolean;
}

const keptMessages = 100;

/**
 * Messages with what is known of their threads now, latest first. `connectorOf` names the event source of a flow;
 * threads of other flows are not messages.
 */
export function followed(
  before: readonly TakenMessage[],
  threads: readonly Thread[],
  connectorOf: (flow: string) => string | undefined,
): readonly TakenMessage[] {
  const known = new Map(before.map((message) => [message.key, message]));
  const current = new Map(threads.map((thread) => [keyOf(thread), thread]));
  const kept = before.map((message) => {
    const thread = current.get(message.key);
    const { ended, cut } = thread ?? message.thread;
    const isLost = cut !== undefined || (thread === undefined && ended === undefined);
    return thread === message.thread || (thread === undefined && isLost === message.isLost)
      ? message
      : { ...message, thread: thread ?? { ...message.thread, isPaused: false }, isLost };
  });
  const added = threads.flatMap((thread) => {
    const key = keyOf(thread);
    const connector = connectorOf(thread.flow);
    return known.has(key) || connector === undefined
      ? []
      : [{ key, connector, thread, isLost: thread.cut !== undefined }];
  });
  const isSame = added.length === 0 && kept.every((message, at) => message === before[at]);
  if (isSame) return before;
  return [...added, ...kept].sort((a, b) => b.thread.startedAt - a.thread.startedAt).slice(0, keptMessages);
}

function keyOf({ id, startedAt }: Thread): string {
  return `${id} ${startedAt}`;
}

/** The id that the sender gave to a message, else its place in a log, such as `0/17`; empty when it has neither. */
export function idOf({ thread: { holds, input } }: Pick<TakenMessage, 'thread'>): string {
  if (holds?.kind === 'message' && holds.id !== '') return holds.id;
  const properties = memberOf(input, 'properties');
  const id = memberOf(properties, 'message_id');
  if (typeof id === 'string') return id;
  const [partition, offset] = [memberOf(input, 'partition'), memberOf(input, 'offset')];
  return typeof partition === 'number' && typeof offset === 'number' ? `${partition}/${offset}` : '';
}

export function memberOf(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  return isObject ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

export interface Outcome {
  readonly kind: 'paused' | 'running' | 'acknowledged' | 'turned' | 'failed' | 'lost';
  readonly text: string;
}

/** What became of a message, as far as its service reported. */
export function outcomeOf({ thread, isLost }: Pick<TakenMessage, 'thread' | 'isLost'>): Outcome {
  const { ended, isPaused, stages, stage, cut } = thread;
  if (isLost)
    return {
      kind: 'lost',
      text: cut === 'over' ? 'The service ended; it comes again' : 'The debugger left; it continued without',
    };
  if (isPaused) return { kind: 'paused', text: `Paused ${placeOf(thread)}` };
  if (ended === undefined)
    return { kind: 'running', text: stage === '' ? 'Under way' : `Under way, ${nameOf(thread)}` };
  if (ended.error !== '') return { kind: 'failed', text: `Failed: ${ended.error}` };
  const last = stages.at(-1)?.stage;
  if (last === 'filter' || last === 'accept') return { kind: 'turned', text: `Turned away at ${last}` };
  return { kind: 'acknowledged', text: 'Acknowledged' };
}

/** What the service does with a message after an outcome, where it is not in the outcome itself. */
export const settlements: Readonly<Partial<Record<Outcome['kind'], string>>> = {
  turned: 'It is settled as the gate says: on_reject.',
  failed: 'It goes back to its queue after a pause, or is settled as the flow says; the output tells which.',
};

/** `before step stock`, `in transform, before rule total`. */
export function placeOf({ stage, name, rule }: Pick<Thread, 'stage' | 'name' | 'rule'>): string {
  const block = nameOf({ stage, name });
  return rule ? `in ${block}, before rule ${rule.target}` : `before ${block}`;
}

export function nameOf({ stage, name }: { readonly stage: string; readonly name: string }): string {
  return name === '' ? stage : `${stage} ${name}`;
}
