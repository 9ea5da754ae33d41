import type { Position } from './wire.ts';

/** One transaction on its way through the flows. */
export interface Transaction {
  /** Changes of it that are not settled. */
  open: number;
  /** Where it ends in the log; undefined while its changes still come. */
  end: Position | undefined;
}

/** How far transactions are settled without a gap, whatever the order in which their changes end. */
export class Progress {
  readonly #transactions: Transaction[] = [];
  #confirmed: Position;

  constructor(confirmed: Position) {
    this.#confirmed = confirmed;
  }

  /** Everything before it is settled. */
  get confirmed(): Position {
    return this.#confirmed;
  }

  begin(): Transaction {
    const transaction = { open: 0, end: undefined };
    this.#transactions.push(transaction);
    return transaction;
  }

  committed(transaction: Transaction, end: Position): void {
    transaction.end = end;
    this.#pass();
  }

  settled(transaction: Transaction): void {
    transaction.open--;
    this.#pass();
  }

  /** The server has sent everything that was committed before this position. */
  idle(position: Position): void {
    if (this.#transactions.length === 0) this.#raise(position);
  }

  #pass(): void {
    let passed = 0;
    for (const { open, end } of this.#transactions) {
      if (open > 0 || end === undefined) break;
      this.#raise(end);
      passed++;
    }
    if (passed > 0) this.#transactions.splice(0, passed);
  }

  #raise(position: Position): void {
    if (position > this.#confirmed) this.#confirmed = position;
  }
}
