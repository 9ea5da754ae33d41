import type { Failure } from '../../../errors/failure.ts';

/** A connection to a server, which serves one call at a time. */
export interface Session {
  /** It was neither lost nor ended, and nothing that was asked for is still to come. */
  readonly isOpen: boolean;
  /** Ends it at once, and what is under way with the reason. May be called twice. */
  destroy(reason: Failure): void;
  /** Asks the server whether it is there. */
  probe(): Promise<void>;
}
