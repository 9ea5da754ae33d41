import type { Binding } from '../../contracts/source.ts';
import { type PatternGrammar, Routes } from '../../intake/dispatch/routes.ts';
import type { Delivery, Driver } from '../../intake/driver.ts';
import type { ClientEvent } from './event.ts';

/** An operation is the name of one kind of event, or `*` for all. */
export const eventNames: PatternGrammar = { separator: undefined, one: undefined, many: undefined, everyMatch: false };

/** Delivers what clients do, for the intake. Of each client at most one event waits here; the others wait in its inbox. */
export class ClientDriver implements Driver {
  readonly type = 'websocket';
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
  #waiting: ClientEvent[] = [];

  constructor(name: string, workers: number) {
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

  /** Whether a flow names them, so that one that takes everything is not enough. */
  names(key: string): boolean {
    return this.#exact.has(key);
  }

  /** Delivers an event when its turn comes. */
  offer(event: ClientEvent): void {
    this.#waiting.push(event);
    this.#next();
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
