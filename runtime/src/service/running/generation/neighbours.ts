import type { Connector } from '../../../foundation/contracts/connector.ts';
import type { Storage } from '../../../foundation/contracts/storage.ts';
import type { CallDescription, Execute } from '../../../foundation/contracts/target.ts';
import { Failure } from '../../../foundation/errors/failure.ts';

/**
 * The connectors that one connector may ask. A connector that serves several generations gets those of the newest:
 * earlier ones are closed, and it would keep them in memory.
 */
export class Neighbours {
  connectors: ReadonlyMap<string, Connector>;

  constructor(connectors: ReadonlyMap<string, Connector> = new Map()) {
    this.connectors = connectors;
  }

  storage(name: string): Storage {
    const storage = this.connectors.get(name)?.storage;
    if (storage !== undefined) return storage;
    throw new Failure('internal', `connector "${name}" keeps nothing`, { at: { connector: name } });
  }

  /** Prepares the call when it is first made, and again when another connector has the name. */
  lookup(target: string, call: CallDescription): Execute {
    let prepared: { readonly connector: Connector; readonly execute: Execute } | undefined;
    return (request) => {
      const connector = this.connectors.get(target);
      if (prepared === undefined || prepared.connector !== connector) {
        const execute = connector?.target?.prepare(call);
        if (connector === undefined || execute === undefined)
          throw new Failure('internal', `connector "${target}" cannot be asked`, { at: { connector: target } });
        prepared = { connector, execute };
      }
      return prepared.execute(request);
    };
  }
}
