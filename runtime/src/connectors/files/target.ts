import type { CallDescription, Execute, Scan, Target, WriteEach } from '../../foundation/contracts/target.ts';
import type { Action } from './actions.ts';
import { type Perform, prepare, prepareCall } from './call.ts';
import type { Engine } from './engine.ts';
import { presign } from './links.ts';
import { download, read, scan } from './reads.ts';
import { copy, exists, list, makeFolder, move, remove, stat } from './tree.ts';
import { append, appendEach, write } from './writes.ts';

const performers: Readonly<Record<Action, Perform>> = {
  read,
  download,
  write,
  append,
  delete: remove,
  exists,
  stat,
  list,
  copy,
  move,
  mkdir: makeFolder,
  presign_get: presign,
  presign_put: presign,
};

/** How flows ask any store of files. */
export class FileTarget implements Target {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  prepare(call: CallDescription): Execute {
    return prepareCall(this.#engine, call, performers);
  }

  /** Rows that are written behind one file are written together. */
  prepareEach(call: CallDescription): WriteEach | undefined {
    const { action, begin } = prepare(this.#engine, call);
    if (action !== 'append' || call.target === undefined) return undefined;
    const timeout = call.timeout ?? this.#engine.timeout;
    return (rows, request) =>
      this.#engine.exchanges.run(request, timeout, (exchange) => appendEach(begin(request, exchange), rows));
  }

  prepareScan(call: CallDescription): Scan | undefined {
    const { action, begin } = prepare(this.#engine, call);
    if (action !== 'read') return undefined;
    const { exchanges } = this.#engine;
    return async function* (request) {
      const { exchange, end } = exchanges.begin(request.signal);
      try {
        yield* scan(begin(request, exchange));
      } finally {
        end();
      }
    };
  }
}
