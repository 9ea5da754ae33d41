import type { ForcedValue } from '@svc/protocol/wire';
import { Store } from '../../state/store.ts';
import { forcedIn } from './forced.ts';
import type { Inspection } from './inspection.ts';
import { evaluateRecorded, type ValueAsker } from './recorded-evaluation.ts';
import type { DebugSession } from './session.ts';

/** Expressions that are evaluated at each stop, and over what is kept of a run that is looked at. */
const mostWatches = 100;

/** What an expression gave at the last stop, or why it gave nothing. */
export interface Watched {
  readonly expression: string;
  /** Undefined while no thread is looked at or the answer is not there yet. */
  readonly value: { readonly result: unknown; readonly type: string } | { readonly error: string } | undefined;
  /** The person set this value. */
  readonly forced?: ForcedValue | undefined;
}

export class Watches {
  readonly all = new Store<readonly Watched[]>([]);
  /** Called when the person changed the expressions, to keep them. */
  changed: (expressions: readonly string[]) => void = () => undefined;
  readonly #debug: DebugSession;
  readonly #inspection: Inspection;
  readonly #language: ValueAsker;

  constructor(debug: DebugSession, inspection: Inspection, language: ValueAsker) {
    this.#debug = debug;
    this.#inspection = inspection;
    this.#language = language;
    let version: number | undefined;
    inspection.state.subscribe(() => {
      const next = inspection.state.value?.version;
      if (next === version) return;
      version = next;
      this.#evaluate();
    });
  }

  /** Takes what was kept. */
  restore(expressions: readonly string[]): void {
    this.all.set(expressions.slice(0, mostWatches).map((expression) => ({ expression, value: undefined })));
    this.#evaluate();
  }

  /** An expression that is watched already, and an empty one, add nothing. */
  add(expression: string): void {
    const text = expression.trim();
    const { value } = this.all;
    if (text === '' || value.some((each) => each.expression === text)) return;
    if (value.length >= mostWatches) throw new Error(`At most ${mostWatches} expressions are watched.`);
    this.#change([...value, { expression: text, value: undefined }]);
  }

  /** An empty text removes the expression. */
  replace(before: string, expression: string): void {
    const text = expression.trim();
    if (text === '') return this.remove(before);
    const others = this.all.value.filter((each) => each.expression !== text || each.expression === before);
    this.#change(others.map((each) => (each.expression === before ? { expression: text, value: undefined } : each)));
  }

  remove(expression: string): void {
    this.#change(this.all.value.filter((each) => each.expression !== expression));
  }

  #change(all: readonly Watched[]): void {
    this.all.set(all);
    this.changed(all.map(({ expression }) => expression));
    this.#evaluate();
  }

  #evaluate(): void {
    const inspected = this.#inspection.state.value;
    if (inspected === undefined) {
      if (this.all.value.some(({ value }) => value !== undefined))
        this.all.update((all) => all.map(({ expression }) => ({ expression, value: undefined })));
      return;
    }
    const { threadId, version, isRecorded, variables } = inspected;
    const evaluate = (expression: string) =>
      isRecorded
        ? evaluateRecorded(this.#language, variables, expression)
        : this.#debug.call('debug.evaluate', { threadId, expression });
    for (const { expression } of this.all.value)
      evaluate(expression).then(
        (value) => this.#evaluated(expression, version, value),
        (error: Error) => this.#evaluated(expression, version, { error: error.message }),
      );
  }

  #evaluated(expression: string, version: number, value: Watched['value']): void {
    if (this.#inspection.state.value?.version !== version) return;
    const { value: inspected } = this.#inspection.state;
    const forced = inspected && forcedIn(inspected, inspected.threadId, expression);
    this.all.update((all) => all.map((each) => (each.expression === expression ? { ...each, value, forced } : each)));
  }
}
