import type { RunSummary } from '../../../worker/runs.ts';
import type { LanguageClient } from '../../language/language-client.ts';
import { Store } from '../../state/store.ts';
import { preview } from '../../values/values.ts';
import type { DebugModel } from '../session/model.ts';
import { recordedVariables } from '../session/recorded.ts';
import type { Thread } from '../session/thread.ts';

/** Milliseconds in which runs are put together before they are handed over. */
const together = 100;
/** More of one lot are not kept anyway. */
const mostOfLot = 200;

/** The last runs of the attached service. The worker has them; the page asks for what it shows. */
export class KeptRuns {
  /** Grows with each lot, for those who list them. */
  readonly version = new Store(0);
  readonly #language: Pick<LanguageClient, 'keepRuns' | 'forgetRuns' | 'askValues'>;
  readonly #model: DebugModel;
  #lot: Thread[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(language: Pick<LanguageClient, 'keepRuns' | 'forgetRuns' | 'askValues'>, model: DebugModel) {
    this.#language = language;
    this.#model = model;
    model.onReset = () => this.#forget();
  }

  /** Keeps a run that has ended. */
  keep(thread: Thread): void {
    this.#lot.push(thread);
    if (this.#lot.length > 2 * mostOfLot) this.#lot = this.#lot.slice(-mostOfLot);
    this.#timer ??= setTimeout(() => this.#handOver(), together);
  }

  /** Newest first, those of which a condition is true. Rejects when it cannot be evaluated. */
  list(condition: string): Promise<readonly RunSummary[]> {
    return this.#language.askValues('runs', condition);
  }

  /** Looks at a run as at a thread that has ended. */
  async open(id: string): Promise<Thread | undefined> {
    const known = this.#model.thread(id) ?? ((await this.#language.askValues('run', id))?.thread as Thread | undefined);
    if (known !== undefined) this.#model.lookAt(known);
    return known;
  }

  #handOver(): void {
    this.#timer = undefined;
    this.#language.keepRuns(this.#lot.splice(0).slice(-mostOfLot).map(keptOf));
    this.version.set(this.version.value + 1);
  }

  #forget(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#lot = [];
    this.#language.forgetRuns();
    this.version.set(this.version.value + 1);
  }
}

function keptOf(thread: Thread) {
  const { id, number, flow, startedAt, input, ended } = thread;
  const { output, steps, enriched } = recordedVariables(thread);
  const durationUs = ended?.durationUs ?? 0;
  const how = ended?.error ? 'failed' : ended?.dropped ? 'dropped' : 'ended';
  const { headers: _headers, ...shown } = { ...(input as object | undefined) } as Readonly<Record<string, unknown>>;
  return {
    summary: { id, number, flow, startedAt, durationUs, how, input: preview(shown, 120) } as const,
    scope: {
      ...{ flow, input: input ?? null, output, step: steps, enriched, answer: ended?.output ?? null },
      ...{ error: ended?.error ?? '', dropped: ended?.dropped?.decidedBy ?? '', ms: durationUs / 1000 },
    },
    thread,
  };
}
