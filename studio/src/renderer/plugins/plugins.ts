import type { ModuleEntry, ModulesEntry, PluginEntry } from '@svc/protocol/wire';
import type { DebugSession } from '../debug/session/session.ts';
import { Store } from '../state/store.ts';

/** Milliseconds between two looks while a view shows the counts. */
const watchPause = 2_000;

/** Plugins and modules of the attached service; undefined while no service says. */
export class Plugins {
  readonly state = new Store<ModulesEntry | undefined>(undefined);
  readonly #debug: DebugSession;
  #watchers = 0;
  #watch: ReturnType<typeof setInterval> | undefined;
  #isRefreshing = false;

  constructor(debug: DebugSession) {
    this.#debug = debug;
    let wasAttached = false;
    debug.model.state.subscribe(() => {
      const { isAttached } = debug;
      if (isAttached === wasAttached) return;
      wasAttached = isAttached;
      if (isAttached) void this.refresh();
      else this.state.set(undefined);
    });
  }

  /** Whether the attached service can say what its modules do. */
  get isKnown(): boolean {
    return this.#debug.isAttached && this.#debug.model.state.value.capabilities.has('modules');
  }

  /** Asks how they are now. One call at a time; a failure leaves what is known: a lost connection is reported where it is. */
  async refresh(): Promise<void> {
    if (!this.isKnown || this.#isRefreshing) return;
    this.#isRefreshing = true;
    try {
      const found = await this.#debug.call('inspect.modules', {});
      if (this.#debug.isAttached) this.state.set(found);
    } catch {
      // See above.
    } finally {
      this.#isRefreshing = false;
    }
  }

  /** Keeps the counts up to date, when `isVisible` too, until the returned function is called. */
  watch(isVisible: () => boolean): () => void {
    void this.refresh();
    if (this.#watchers++ === 0) this.#watch = setInterval(() => isVisible() && void this.refresh(), watchPause);
    return () => {
      if (--this.#watchers === 0) clearInterval(this.#watch);
    };
  }
}

/** What a plugin provides, in a few words: `type places, 2 functions, validator zip`. */
export function providedText({ connectors, functions, validators, sanitizers }: PluginEntry): string {
  const several = (all: readonly string[], one: string, many: string) => {
    if (all.length === 0) return [];
    return all.length === 1 ? [`${one} ${all[0]}`] : [`${all.length} ${many}`];
  };
  const parts = [
    ...several(connectors, 'connector type', 'connector types'),
    ...several(functions, 'function', 'functions'),
    ...several(validators, 'validator', 'validators'),
    ...several(sanitizers, 'sanitizer', 'sanitizers'),
  ];
  return parts.length === 0 ? 'Provides nothing' : parts.join(', ');
}

/** What a module is used as: `connector places`, `functions score, today`. */
export function servedText({ kind, serves }: Pick<ModuleEntry, 'kind' | 'serves'>): string {
  return `${kind === 'functions' && serves.length === 1 ? 'function' : kind} ${serves.join(', ')}`;
}

/** What it is limited to, in one line. */
export function limitsText({ limits }: Pick<ModuleEntry, 'limits'>): string {
  const { timeoutMs, maxMemoryMb, maxBytes, instances } = limits;
  const bytes = maxBytes >= 1_048_576 ? `${round(maxBytes / 1_048_576)} MB` : `${round(maxBytes / 1024)} KB`;
  const time = timeoutMs >= 1_000 ? `${round(timeoutMs / 1_000)} s` : `${timeoutMs} ms`;
  return `${time} a call, ${maxMemoryMb} MB of memory, ${bytes} in and out, ${instances} ${instances === 1 ? 'instance' : 'instances'}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
