import type { FlowEntry, Reading, Variables } from '@svc/protocol/wire';
import { Store } from '../../state/store.ts';
import { recordedVariables } from './recorded.ts';
import type { DebugSession } from './session.ts';
import type { RuleValue, Thread } from './thread.ts';

/** What is known about the thread that the person looks at, as of its stop, or of its end when it has ended. */
export interface Inspected {
  readonly threadId: string;
  /** Of the stop; see Thread. */
  readonly stop: number;
  readonly variables: Variables;
  /** What the same thread held at its stop before. */
  readonly before: Variables | undefined;
  /** Only before a rule that the service reads out. */
  readonly reading: Reading | undefined;
  /** The flow as the service runs it, which may differ from the text. */
  readonly flow: FlowEntry | undefined;
  /** Keys of the rules that were evaluated since the stop before. */
  readonly fresh: ReadonlySet<string>;
  /** Whether the thread has ended: these are the values of its events, and no service can be asked for more. */
  readonly isRecorded: boolean;
  /** Grows with every answer: what depends on values is asked again. */
  readonly version: number;
}

/** What a thread held at its last stop that was looked at. */
interface Held {
  readonly shown: Inspected;
  readonly values: Thread['values'];
}

/** Asks what a thread holds as soon as it stops or is looked at; everything that shows values reads from here. */
export class Inspection {
  readonly state = new Store<Inspected | undefined>(undefined);
  readonly #debug: DebugSession;
  readonly #held = new Map<string, Held>();
  #asked = '';
  #version = 0;

  constructor(debug: DebugSession) {
    this.#debug = debug;
    debug.model.focused.subscribe(() => this.#look());
    debug.model.state.subscribe(() => this.#look());
  }

  /** Changes a value that the thread continues with. Rejects with the reason when it cannot be changed. */
  async setVariable(path: readonly string[], value: unknown): Promise<void> {
    const { threadId } = this.state.value ?? {};
    if (threadId === undefined) throw new Error('no thread is paused');
    await this.#debug.call('debug.setVariable', { threadId, path, value });
    await this.refresh();
  }

  /** Reads everything again; changes are still shown against the stop before. */
  async refresh(): Promise<void> {
    const thread = this.#debug.model.current;
    if (thread?.isPaused) await this.#read(thread);
  }

  #look(): void {
    const { model } = this.#debug;
    for (const id of this.#held.keys()) if (model.thread(id) === undefined) this.#held.delete(id);
    const thread = model.current;
    const wanted = wantedOf(thread);
    if (wanted === this.#asked) return;
    this.#asked = wanted;
    // No service can be asked about a thread whose connection was lost; what it held then is kept.
    const held = thread?.cut && this.#held.get(thread.id)?.shown;
    if (thread?.isPaused !== true) return this.state.set(held ?? this.#recorded(thread));
    this.#read(thread).catch(() => {
      if (this.#asked === wanted) this.state.set(undefined);
    });
  }

  async #read(thread: Thread): Promise<void> {
    const { id: threadId, flow: name, rule, stop, values } = thread;
    const debug = this.#debug;
    const isOld = () => this.#asked !== `${threadId} ${stop}`;
    const canRead = rule !== undefined && debug.model.state.value.capabilities.has('reading');
    // The values are shown as soon as they are there; what else there is to show comes to them.
    const reading = canRead ? debug.call('debug.reading', { threadId }).catch(() => undefined) : undefined;
    const flow = debug.call('inspect.flow', { name }).catch(() => undefined);
    const variables = await debug.call('debug.variables', { threadId });
    if (isOld()) return;
    const held = this.#held.get(threadId);
    const same = held?.shown.stop === stop ? held.shown : undefined;
    const before = same ? same.before : held?.shown.variables;
    const fresh = same ? same.fresh : changedKeys(held?.values, values);
    const version = ++this.#version;
    const known = { reading: same?.reading, flow: same?.flow };
    this.#show({ threadId, stop, variables, before, fresh, version, isRecorded: false, ...known }, values);
    const rest = { reading: await reading, flow: await flow };
    if (!isOld() && this.state.value?.version === version) this.#show({ ...this.state.value, ...rest }, values);
  }

  #recorded(thread: Thread | undefined): Inspected | undefined {
    if (thread?.ended === undefined) return undefined;
    const { id: threadId, stop } = thread;
    const variables = recordedVariables(thread);
    const nothing = { before: undefined, reading: undefined, flow: undefined, fresh: new Set<string>() };
    return { threadId, stop, variables, isRecorded: true, version: ++this.#version, ...nothing };
  }

  #show(shown: Inspected, values: Thread['values']): void {
    this.#held.set(shown.threadId, { shown, values });
    if (this.#held.size > mostHeld) this.#held.delete(this.#held.keys().next().value as string);
    this.state.set(shown);
  }
}

/** What is to be shown: a stop, what was held when the connection was lost, or a run from its beginning to its end. */
function wantedOf(thread: Thread | undefined): string {
  if (thread === undefined) return '';
  const { id, isPaused, stop, cut, ended, moved } = thread;
  if (isPaused) return `${id} ${stop}`;
  return cut ? `${id} cut` : ended ? `${id} ended ${moved}` : '';
}

/** Threads whose values of their last stop are kept. */
const mostHeld = 50;

function changedKeys(before: ReadonlyMap<string, RuleValue> | undefined, now: ReadonlyMap<string, RuleValue>) {
  if (before === undefined) return new Set<string>();
  return new Set([...now.keys()].filter((key) => before.get(key) !== now.get(key)));
}
