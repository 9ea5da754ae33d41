import type { Position } from './wire.ts';

/** The end of a transaction in the log. */
export interface Commit {
  /** Behind it in the log. */
  readonly end: Position;
  /** As the server sent it: where it is, where it ends and when it was, which no other transaction has in common. */
  readonly message: Uint8Array;
}

/** One transaction on its way through the flows. */
export interface Transaction {
  /** Changes of it that are not settled. */
  open: number;
  /** Undefined while its changes still come. */
  commit: Commit | undefined;
}

/** How far transactions are settled without a gap, whatever the order in which their changes end. */
export class Progress {
  readonly #transactions: Transaction[] = [];
  readonly #handled: (commit: Commit) => void;
  #confirmed: Position;

  /** `handled` is called with the last transaction before which nothing is open. */
  constructor(confirmed: Position, handled: (commit: Commit) => void) {
    this.#confirmed = confirmed;
    this.#handled = handled;
  }

  /** Everything before it is settled. */
  get confirmed(): Position {
    return this.#confirmed;
  }

  begin(): Transaction {
    const transaction: Transaction = { open: 0, commit: undefined };
    this.#transactions.push(transaction);
    return transaction;
  }

  committed(transaction: Transaction, commit: Commit): void {
    transaction.commit = commit;
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
    let last: Commit | undefined;
    for (const { open, commit } of this.#transactions) {
      if (open > 0 || commit === undefined) break;
      last = commit;
      passed++;
    }
    if (last === undefined) return;
    this.#transactions.splice(0, passed);
    this.#raise(last.end);
    this.#handled(last);
  }

  #raise(position: Position): void {
    if (position > this.#confirmed) this.#confirmed = position;
  }
}
