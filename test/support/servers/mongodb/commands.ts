import { type Long, ObjectId } from 'mongodb';
import { CommandError } from './command-error.ts';
import { Cursors, listed } from './cursors.ts';
import { aggregate, count, find } from './reads.ts';
import { Store } from './store.ts';
import type { Fields } from './wire.ts';
import { findAndModify, insert, remove, update } from './writes.ts';

const setName = 'rs0';
/** That of MongoDB 7.0. */
const newestWire = 21;

export interface ServerState {
  readonly address: () => string;
  /** Whether the server is the primary of a replica set of one; otherwise it is standalone. */
  readonly isReplicaSet: boolean;
}

/** What the server does with commands, but for connections, users and faults. */
export class Commands {
  readonly store: Store;
  readonly cursors = new Cursors();
  readonly #server: ServerState;

  constructor(server: ServerState, store = new Store()) {
    this.#server = server;
    this.store = store;
  }

  /** The same over documents that change alone. */
  fork(): Commands {
    return new Commands(this.#server, this.store.fork());
  }

  /** Gives the answer, or throws a CommandError. `signal` fires when the client has gone. */
  run(name: string, database: string, command: Fields, signal: AbortSignal): Promise<Fields> | Fields {
    const { store, cursors } = this;
    const size = (command['cursor'] as Fields | undefined)?.['batchSize'] ?? command['batchSize'];
    const batch = size === undefined ? undefined : Number(size);
    switch (name) {
      case 'hello':
      case 'isMaster':
      case 'ismaster':
        return this.#hello();
      case 'ping':
      case 'endSessions':
        return {};
      case 'find':
        return cursors.first(find(store, database, command), batch, signal);
      case 'aggregate':
        if (!this.#server.isReplicaSet && asksForChanges(command)) throw standaloneRefusal();
        return cursors.first(aggregate(store, database, command), batch, signal);
      case 'getMore': {
        const waits = command['maxTimeMS'] as number | undefined;
        return cursors.next(Number(command['getMore']), batch, waits, signal);
      }
      case 'killCursors':
        cursors.end((command['cursors'] as (number | Long)[]).map(Number));
        return {};
      case 'count':
        return count(store, database, command);
      case 'insert':
        return insert(store, database, command);
      case 'update':
        return update(store, database, command);
      case 'delete':
        return remove(store, database, command);
      case 'findAndModify':
        return findAndModify(store, database, command);
      default:
        return this.#manage(name, database, command, signal);
    }
  }

  #manage(name: string, database: string, command: Fields, signal: AbortSignal): Promise<Fields> | Fields {
    const { store, cursors } = this;
    switch (name) {
      case 'create':
        return configured(store.collection(database, String(command['create']), true).options, command);
      case 'collMod':
        return configured(store.collection(database, String(command['collMod']), true).options, command);
      case 'drop':
        store.drop(database, String(command['drop']));
        return {};
      case 'dropDatabase':
        store.drop(database);
        return {};
      case 'createIndexes': {
        const { indexes } = store.collection(database, String(command['createIndexes']), true);
        for (const index of command['indexes'] as (typeof indexes)[number][]) indexes.push({ v: 2, ...index });
        return { numIndexesAfter: indexes.length };
      }
      case 'listCollections': {
        const found = store.names(database).flatMap((each) => {
          const { options } = store.collection(database, each);
          const { name = each } = (command['filter'] ?? {}) as { readonly name?: unknown };
          return name === each ? [{ name: each, type: 'collection', options }] : [];
        });
        return cursors.first(listed(`${database}.$cmd.listCollections`, found), undefined, signal);
      }
      default:
        throw new CommandError(59, 'CommandNotFound', `no such command: '${name}'`);
    }
  }

  #hello(): Fields {
    const address = this.#server.address();
    const member = {
      setName,
      hosts: [address],
      primary: address,
      me: address,
      setVersion: 1,
      electionId: new ObjectId('7fffffff0000000000000001'),
    };
    return {
      helloOk: true,
      isWritablePrimary: true,
      ismaster: true,
      ...(this.#server.isReplicaSet && member),
      maxBsonObjectSize: 16_777_216,
      maxMessageSizeBytes: 48_000_000,
      maxWriteBatchSize: 100_000,
      localTime: new Date(),
      logicalSessionTimeoutMinutes: 30,
      connectionId: 1,
      minWireVersion: 0,
      maxWireVersion: newestWire,
      readOnly: false,
    };
  }
}

/** Keeps the options of a collection that the server tells of. */
function configured(options: Fields, { changeStreamPreAndPostImages: images }: Fields): Fields {
  if (images !== undefined) options['changeStreamPreAndPostImages'] = images;
  return {};
}

function asksForChanges({ pipeline }: Fields): boolean {
  return (pipeline as Fields[] | undefined)?.[0]?.['$changeStream'] !== undefined;
}

function standaloneRefusal(): CommandError {
  return new CommandError(40573, 'Location40573', 'The $changeStream stage is only supported on replica sets');
}
