import type { ForcedValue } from '@svc/protocol/wire';
import { Store } from '../../state/store.ts';
import { shownDuration } from '../../values/values.ts';
import { forcedIn } from '../session/forced.ts';
import type { Inspection } from '../session/inspection.ts';
import type { LogEntry } from '../session/model.ts';
import { recordedVariables } from '../session/recorded.ts';
import { evaluateRecorded, type RecordedAnswer, type ValueAsker } from '../session/recorded-evaluation.ts';
import type { DebugSession } from '../session/session.ts';
import type { Thread } from '../session/thread.ts';

const keptLines = 1000;
const keptHistory = 100;

/** One line of the console. */
export type ConsoleLine = { readonly id: number } & (
  | { readonly kind: 'input'; readonly text: string }
  | {
      readonly kind: 'result';
      readonly value: unknown;
      readonly type: string;
      readonly forced: ForcedValue | undefined;
    }
  | { readonly kind: 'error'; readonly text: string }
  | { readonly kind: 'log'; readonly entry: LogEntry }
  | { readonly kind: 'end'; readonly text: string; readonly isError: boolean; readonly thread: Thread }
);

type NewLine<L = ConsoleLine> = L extends ConsoleLine ? Omit<L, 'id'> : never;

/** What was asked of threads, what log points wrote and how threads ended, in the order in which it happened. */
export class DebugConsole {
  readonly lines = new Store<readonly ConsoleLine[]>([]);
  readonly #debug: DebugSession;
  readonly #inspection: Inspection;
  readonly #language: ValueAsker;
  /** Lines that come with the next change of `lines`: threads may end by the thousand. */
  #pending: ConsoleLine[] = [];
  #lastId = 0;
  #lastLog = 0;
  #history: string[] = [];
  #at = 0;
  #turn: Promise<void> = Promise.resolve();

  constructor(debug: DebugSession, inspection: Inspection, language: ValueAsker) {
    this.#debug = debug;
    this.#inspection = inspection;
    this.#language = language;
    debug.model.log.subscribe(() => {
      const entries = debug.model.log.value.filter(({ id }) => id > this.#lastLog);
      this.#lastLog = entries.at(-1)?.id ?? this.#lastLog;
      this.#add(...entries.map((entry) => ({ kind: 'log', entry }) as const));
    });
  }

  /** Evaluates where the thread in focus is paused, or over what is kept of it when it has ended; the answer, or why it is absent, becomes a line. One at a time. */
  evaluate(expression: string): Promise<void> {
    const text = expression.trim();
    if (text !== '') this.#turn = this.#turn.then(() => this.#evaluate(text));
    return this.#turn;
  }

  async #evaluate(text: string): Promise<void> {
    this.#history = [...this.#history.filter((each) => each !== text), text].slice(-keptHistory);
    this.#at = this.#history.length;
    this.#add({ kind: 'input', text });
    const thread = this.#debug.model.current;
    try {
      const answer = await this.#answerOf(thread, text);
      if ('error' in answer) this.#add({ kind: 'error', text: answer.error });
      else {
        const forced = thread && forcedIn(this.#inspection.state.value, thread.id, text);
        this.#add({ kind: 'result', value: answer.result, type: answer.type, forced });
      }
    } catch (error) {
      this.#add({ kind: 'error', text: error instanceof Error ? error.message : String(error) });
    }
  }

  #answerOf(thread: Thread | undefined, expression: string): Promise<RecordedAnswer> {
    if (thread?.isPaused) return this.#debug.call('debug.evaluate', { threadId: thread.id, expression });
    if (thread?.ended !== undefined) return evaluateRecorded(this.#language, recordedVariables(thread), expression);
    throw new Error('No thread is paused and no run has ended: there is nothing to evaluate in.');
  }

  /** Of threads that ran through without a stop, those that failed are reported. */
  ended(thread: Thread): void {
    const { flow, number, ended, stop } = thread;
    if (ended === undefined || (stop === 0 && ended.error === '')) return;
    const after = `after ${shownDuration(ended.durationUs)}`;
    const text = ended.error
      ? `${flow} #${number} failed ${after}: ${ended.error}`
      : `${flow} #${number} ended ${after}`;
    this.#add({ kind: 'end', text, isError: ended.error !== '', thread });
  }

  /** An earlier expression; undefined without an earlier one. Steps past the latest give an empty text. */
  recall(step: -1 | 1): string | undefined {
    const at = this.#at + step;
    if (at < 0 || at > this.#history.length) return undefined;
    this.#at = at;
    return this.#history[at] ?? '';
  }

  clear(): void {
    this.#pending = [];
    this.lines.set([]);
  }

  #add(...lines: readonly NewLine[]): void {
    if (lines.length === 0) return;
    if (this.#pending.length === 0) setTimeout(() => this.#flush(), 16);
    this.#pending.push(...lines.map((line) => ({ ...line, id: ++this.#lastId }) as ConsoleLine));
    if (this.#pending.length > 2 * keptLines) this.#pending = this.#pending.slice(-keptLines);
  }

  #flush(): void {
    const added = this.#pending;
    this.#pending = [];
    this.lines.update((all) => [...all, ...added].slice(-keptLines));
  }
}
