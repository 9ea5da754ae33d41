import { type FailureCode, type FailureType, failures } from '../../foundation/errors/failures.ts';

/** Where the events of one client go. */
export interface EventSink {
  /** Whether a trace event would be accepted now. */
  readonly hasRoom: boolean;
  send(text: string, lane: 'kept' | 'trace'): void;
  /** Called instead of `send` when a trace event was not even made. */
  skip(): void;
}

/** One attached client, as the hub knows it. */
export class Session {
  readonly id: string;
  /** Additions that the client said it understands. */
  readonly understands: ReadonlySet<string>;
  readonly sink: EventSink;
  /** Codes of the failures at which it wants threads to stop; `*` is every one. */
  failures: ReadonlySet<string> = new Set();
  /** Kinds of such failures. */
  failureTypes: ReadonlySet<FailureType> = new Set();
  /** Gates at whose drops it wants threads to stop; `*` is every one. */
  drops: ReadonlySet<string> = new Set();
  /** Whether it may change the state of the service; see `debug.unlock`. */
  isUnlocked = false;

  constructor(id: string, understands: ReadonlySet<string>, sink: EventSink) {
    this.id = id;
    this.understands = understands;
    this.sink = sink;
  }

  stopsAt(code: FailureCode): boolean {
    return this.failures.has('*') || this.failures.has(code) || this.failureTypes.has(failures[code].type);
  }

  stopsAtDrop(gate: string): boolean {
    return this.drops.has('*') || this.drops.has(gate);
  }

  wants(needs: string | undefined): boolean {
    return needs === undefined || this.understands.has(needs);
  }
}
