import type { FlowEntry, Reading, Variables } from '@svc/protocol/wire';
import { Store } from '../state/store.ts';
import type { RuleValue, Thread } from './model.ts';
import type { DebugSession } from './session.ts';

/** What is known about the paused thread that the person looks at, as of its stop. */
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
  /** Grows with every answer: what depends on values is asked again. */
  readonly version: number;
}

/** What a thread held at its last stop that was looked at. */
type Held = Pick<Inspected, 'stop' | 'variables' | 'before' | 'fresh'> & Pick<Thread, 'values'>;

/** Asks what a thread holds as soon as it stops or is looked at; everything that shows values reads from here. */
export class Inspection {
  readonly state = new Store<Inspected | undefined>(undefined);
  readonly #debug: DebugSession;
  readonly #held = new Map<string, Held>();
  #asked = '';
  #version = 0;
  #attached = false;

  constructor(debug: DebugSession) {
    this.#debug = debug;
    debug.model.focused.subscribe(() => this.#look());
    debug.model.state.subscribe(() => this.#look());
  }

  /** Changes a value that the thread goes on with. Rejects with the reason when it cannot be changed. */
  async setVariable(path: readonly string[], value: unknown): Promise<void> {
    const { threadId } = this.state.value ?? {};
    if (threadId === undefined) throw new Error('no thread is paused');
    await this.#debug.call('debug.setVariable', { threadId, path, value });
    await this.refresh();
  }

  /** Reads everything again; the stop before stays what changes are told from. */
  async refresh(): Promise<void> {
    const thread = this.#debug.model.current;
    if (thread?.isPaused) await this.#read(thread);
  }

  #look(): void {
    const { model } = this.#debug;
    if (this.#attached !== this.#debug.isAttached) {
      this.#attached = this.#debug.isAttached;
      this.#held.clear();
    }
    const thread = model.current;
    const wanted = thread?.isPaused ? `${thread.id} ${thread.stop}` : '';
    if (wanted === this.#asked) return;
    this.#asked = wanted;
    if (thread === undefined || wanted === '') return this.state.set(undefined);
    this.#read(thread).catch(() => this.state.set(undefined));
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
    const isSameStop = held?.stop === stop;
    const before = isSameStop ? held.before : held?.variables;
    const fresh = isSameStop ? held.fresh : changedKeys(held?.values, values);
    this.#held.set(threadId, { stop, values, variables, before, fresh });
    if (this.#held.size > mostHeld) this.#held.delete(this.#held.keys().next().value as string);
    const version = ++this.#version;
    const shown = this.state.value;
    const isShown = shown?.threadId === threadId && shown.stop === stop;
    const known = isShown ? { reading: shown.reading, flow: shown.flow } : { reading: undefined, flow: undefined };
    this.state.set({ threadId, stop, variables, before, fresh, version, ...known });
    const rest = { reading: await reading, flow: await flow };
    if (!isOld() && this.state.value?.version === version) this.state.set({ ...this.state.value, ...rest });
  }
}

/** Threads whose values of their last stop are kept. */
const mostHeld = 50;

function changedKeys(before: ReadonlyMap<string, RuleValue> | undefined, now: ReadonlyMap<string, RuleValue>) {
  if (before === undefined) return new Set<string>();
  return new Set([...now.keys()].filter((key) => before.get(key) !== now.get(key)));
}
