import type { Binding } from '../../../foundation/contracts/source.ts';
import type { Failure } from '../../../foundation/errors/failure.ts';
import { type PatternGrammar, Routes } from '../dispatch/routes.ts';
import type { Delivery, Driver } from '../driver.ts';

/** An operation is the name of one kind of event, or `*` for all. */
export const eventNames: PatternGrammar = { separator: undefined, one: undefined, many: undefined, everyMatch: false };

/** Delivers what clients do, for the intake. Of each client at most one event waits here; the others wait in its inbox. */
export class ClientDriver implements Driver {
  readonly type: string;
  readonly name: string;
  readonly patterns = eventNames;
  readonly isSelective = true;
  readonly window: number;
  readonly workers: number;
  #routes = new Routes<Binding>([], () => undefined, eventNames);
  #exact: ReadonlySet<string> = new Set();
  #deliver: ((delivery: Delivery) => void) | undefined;
  #window = 0;
  #delivered = 0;
  #waiting: Delivery[] = [];

  /** `type` is the canonical name of the spec. */
  constructor(type: string, name: string, workers: number) {
    this.type = type;
    this.name = name;
    this.window = workers;
    this.workers = workers;
  }

  follow(bindings: readonly Binding[]): boolean {
    this.#routes = new Routes(bindings, ({ operation }) => operation, eventNames);
    this.#exact = new Set(bindings.flatMap(({ operation }) => operation ?? []));
    return false;
  }

  /** Whether a flow takes events of this name. */
  takes(key: string): boolean {
    return this.#routes.match(key) !== undefined;
  }

  isTakenByOne(key: string): boolean {
    return this.#routes.match(key)?.length === 1;
  }

  /** Whether a flow names them, so that one that takes everything is not enough. */
  names(key: string): boolean {
    return this.#exact.has(key);
  }

  /** Delivers an event when its turn comes. */
  offer(event: Delivery): void {
    this.#waiting.push(event);
    this.#next();
  }

  /** Answers what waits here and was not delivered: it will not be. */
  refuse(failure: Failure): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const delivery of waiting) {
      this.#delivered++;
      delivery.answer?.(failure);
      void delivery.settle({ kind: 'reject', reason: failure.message });
    }
  }

  /** An event was settled. */
  settled(): void {
    this.#delivered--;
    this.#next();
  }

  async subscribe(window: number, deliver: (delivery: Delivery) => void): Promise<void> {
    this.#window = window;
    this.#deliver = deliver;
    this.#next();
  }

  async unsubscribe(): Promise<void> {
    this.#deliver = undefined;
  }

  #next(): void {
    while (this.#deliver !== undefined && this.#delivered < this.#window) {
      const event = this.#waiting.shift();
      if (event === undefined) return;
      this.#delivered++;
      this.#deliver(event);
    }
  }
}
