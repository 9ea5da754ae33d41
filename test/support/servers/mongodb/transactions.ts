import { CommandError } from './command-error.ts';
import type { Commands } from './commands.ts';
import { type Collection, type Store, textOf } from './store.ts';
import type { Fields } from './wire.ts';

/** A transaction that is open: what it sees and changes, which is what there was when it began. */
interface Open {
  readonly commands: Commands;
  /** Documents when it began, by collection. */
  readonly before: ReadonlyMap<string, readonly Fields[]>;
}

const passing = { errorLabels: ['TransientTransactionError'] };

/** Commands of several that are done together. A document that another one changed meanwhile is a conflict. */
export class StandInTransactions {
  readonly #commands: Commands;
  readonly #open = new Map<string, Open>();
  readonly #committed = new Set<string>();

  constructor(commands: Commands) {
    this.#commands = commands;
  }

  /** Transactions that were neither committed nor given up. */
  get size(): number {
    return this.#open.size;
  }

  async run(name: string, database: string, command: Fields, signal: AbortSignal): Promise<Fields> {
    const { lsid, txnNumber, startTransaction } = command as Fields & {
      readonly lsid: { readonly id: { toString(encoding: string): string } };
    };
    const session = lsid.id.toString('hex');
    const key = `${session}:${String(txnNumber)}`;
    if (name === 'commitTransaction') return this.#commit(key);
    if (name === 'abortTransaction') return this.#open.delete(key) ? {} : noTransaction();
    if (startTransaction === true) {
      // One session has one transaction.
      for (const other of this.#open.keys()) if (other.startsWith(`${session}:`)) this.#open.delete(other);
      const commands = this.#commands.fork();
      this.#open.set(key, { commands, before: documentsOf(commands.store) });
    }
    const open = this.#open.get(key);
    if (open === undefined) return noTransaction();
    try {
      const answer = await open.commands.run(name, database, command, signal);
      if (answer['writeErrors'] !== undefined) this.#open.delete(key);
      return answer;
    } catch (error) {
      this.#open.delete(key);
      throw error;
    }
  }

  #commit(key: string): Fields {
    if (this.#committed.has(key)) return {};
    const open = this.#open.get(key);
    if (open === undefined) return noTransaction();
    this.#open.delete(key);
    const { store } = this.#commands;
    for (const [name, collection] of open.commands.store.entries()) {
      const before = open.before.get(name) ?? [];
      const touched = new Set(before.filter((document) => !collection.documents.includes(document)));
      const now = store.entries().get(name)?.documents ?? [];
      if ([...touched].some((document) => !now.includes(document)))
        throw new CommandError(112, 'WriteConflict', 'Write conflict during commit', passing);
    }
    for (const [name, collection] of open.commands.store.entries())
      apply(store.made(name), collection, open.before.get(name) ?? []);
    for (const change of open.commands.store.changes.all) store.changes.add(change);
    this.#committed.add(key);
    return {};
  }
}

function documentsOf(store: Store): ReadonlyMap<string, readonly Fields[]> {
  return new Map([...store.entries()].map(([name, { documents }]) => [name, [...documents]]));
}

/** Brings what a transaction changed of a collection to what there is now. */
function apply({ documents }: Collection, changed: Collection, before: readonly Fields[]): void {
  const known = new Set(before);
  const after = new Map(changed.documents.map((document) => [textOf(document['_id']), document]));
  for (const document of before) {
    const next = after.get(textOf(document['_id']));
    const at = documents.indexOf(document);
    if (next === document || at < 0) continue;
    documents.splice(at, 1, ...(next === undefined ? [] : [next]));
  }
  const ids = new Set(before.map(({ _id }) => textOf(_id)));
  documents.push(...changed.documents.filter((each) => !known.has(each) && !ids.has(textOf(each['_id']))));
}

function noTransaction(): never {
  throw new CommandError(251, 'NoSuchTransaction', 'the transaction is not known', passing);
}
