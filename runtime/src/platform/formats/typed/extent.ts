import { beyondBudget, messageBudget } from '../budget.ts';

/** Counts what a document decodes to, and refuses more than a message may hold. */
export class Extent {
  #values = 0;
  #depth = 0;

  /** A list, map or record begins. Throws a Failure. */
  enter(): void {
    if (++this.#depth > messageBudget.depth) throw beyondBudget(messageBudget, 'depth');
  }

  leave(): void {
    this.#depth--;
  }

  /** One more value. Throws a Failure. */
  value(): void {
    if (++this.#values > messageBudget.values) throw beyondBudget(messageBudget, 'values');
  }
}
