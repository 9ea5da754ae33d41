import type { CelSource, ConnectorSpec, Values } from '@svc/protocol/schema';
import type { KnownTarget } from '@svc/protocol/wire';
import type { Clock } from '../observe/clock.ts';
import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Capture } from './capture.ts';
import type { RunningModule } from './modules.ts';
import type { ProfileObserver, SourceObserver, SubscriptionObserver } from './observer.ts';
import type { DeskOptions, QueueDesk } from './queue.ts';
import type { Source } from './source.ts';
import type { Schema } from './sql.ts';
import type { Storage } from './storage.ts';
import type { CallDescription, Execute, Target } from './target.ts';

/** What the service gives to a connector when it makes it. */
export interface ConnectorServices {
  /** Already carries the connector's name. */
  readonly log: Log;
  readonly clock: Clock;
  /** `development`, `staging`, `production` or free text (`--env`). */
  readonly environment: string;
  readonly production: boolean;
  /** Absolute path that relative paths of the configuration are taken from. */
  readonly directory: string;
  /** Name of the service: what it keeps at a server that other services use too is named after it. */
  readonly service: string;
  /** Product name and version for user agents. */
  readonly userAgent: string;
  /**
   * Prepares a call on another connector of the same generation, such as the look-up of an API key. The returned
   * function may be used once the service is open.
   */
  readonly lookup: (connector: string, call: CallDescription) => Execute;
  /** What the cache connector of this name keeps things in, now. May be asked for once the service is open. */
  readonly storage: (connector: string) => Storage;
  /** Where modules of plugins, and what a circuit breaker refuses, are counted; absent where nothing is counted. */
  readonly families?: Metrics['families'] | undefined;
  /** Observes what a connector with profiles does; absent where nothing is counted. */
  readonly profiles?: ProfileObserver | undefined;
  /** Observes what becomes of the messages of event sources; absent where nothing is counted. */
  readonly sources?: SourceObserver | undefined;
  /** Observes subscribers; absent where nothing is counted. */
  readonly subscriptions?: SubscriptionObserver | undefined;
  /** A dry run: what does not exist at a peer is not made there, and not missed where it would be made. Absent: it is made. */
  readonly isDryRun?: boolean | undefined;
  /** Notifications are kept there instead of being sent. Absent: they are sent. */
  readonly capture?: Capture | undefined;
  /** Counts a connection that the connector ended because of its caller; absent where nothing is counted. */
  readonly connectionCut?: ((connector: string, reason: ConnectionCut) => void) | undefined;
  /** Counts messages that wait to be sent together: so many more, or fewer. Absent where nothing is counted. */
  readonly buffered?: ((connector: string, by: number) => void) | undefined;
  /** Compiles an expression of the block; `title` is for messages. What it returns throws where the expression fails. */
  readonly expression?: ((source: CelSource, title: string) => (activation: object) => unknown) | undefined;
  /** Counts a lost connection to a broker, which is made again; absent where nothing is counted. */
  readonly connectionLost?: ((connector: string) => void) | undefined;
}

/** How many targets a connector names at most. */
export const mostKnown = 1_000;
/** Columns that a connector tells of, those of all its targets together. */
export const mostColumns = 10_000;

/** Why a connector ended a connection: its caller took too little of what it was sent, no longer answered, or sent too much. */
export type ConnectionCut = 'read_timeout' | 'write_timeout' | 'unsent_limit' | 'pong_timeout' | 'rate_limit';

/** Makes a connector from its decoded block. Opens nothing; problems of the configuration are diagnostics, found before. */
export type Factory<S extends ConnectorSpec> = (
  name: string,
  config: Values<S['config']>,
  services: ConnectorServices,
) => Connector;

/** How a peer that is unavailable is tried again. */
export interface Retrying {
  /** Milliseconds before the second attempt, and before any one. */
  readonly backoff: { readonly delay: number; readonly maxDelay: number };
  /** Failed attempts in a row after which no further one is made. */
  readonly mostAttempts: number;
}

/**
 * A connector. What it can do is what it has. One whose block is unchanged is handed from generation to generation, open
 * as it is; its source is bound again by each.
 */
export interface Connector {
  readonly name: string;
  /** Connects and resolves when it can be used. Rejects with a Failure that says what was tried and why it failed. */
  open(signal: AbortSignal): Promise<void>;
  /**
   * Lets work under way finish, then frees everything. When `cut` fires, what is still under way ends with a Failure
   * that may be tried again, and everything is freed at once. May be called twice, and on one that never opened. One
   * that cannot exist twice (`coexists` of its spec) may be opened again: its successor could not be.
   */
  close(cut?: AbortSignal): Promise<void>;
  /**
   * Opens what calls need, without the source: for processes that do not have the source of a connector where that exists
   * once (`placement` of its spec), and for those that only call. `open` does it too. Absent: they are the same, or the
   * source exists in every process and calls need nothing else.
   */
  openTarget?(signal: AbortSignal): Promise<void>;
  /** Of such a connector: closes the source alone, as `close` does; calls are carried out as before. */
  closeSource?(cut?: AbortSignal): Promise<void>;
  /**
   * Resolves when healthy, and with the reason where it works with less than it should: that is degraded. Rejects with
   * the reason when it does not work. Absent: healthy while open.
   */
  check?(signal: AbortSignal): Promise<string | void>;
  /**
   * Creates the queue or topic that messages are taken from where it does not exist, and gives its name when it did. The
   * connector need not be open. Absent: it creates nothing.
   */
  createSource?(signal: AbortSignal): Promise<string | undefined>;
  /**
   * What its server has that flows may name as target: at most `mostKnown` of them, for editors. Rejects with the reason when
   * the server does not say it. Absent: it knows nothing of that.
   */
  knownTargets?(signal: AbortSignal): Promise<readonly KnownTarget[]>;
  /**
   * Connects to the broker for people who look at its messages. The connector need not be open. Rejects with the reason
   * where its messages cannot be looked at. Absent: its broker keeps none that could be.
   */
  openDesk?(options: DeskOptions): Promise<QueueDesk>;
  /** How its peer is tried again. Absent: for ever, with pauses that grow to half a minute. */
  readonly reconnecting?: Retrying | undefined;
  /** Modules of plugins that do its work, as they are now. Absent: no module does its work. */
  readonly modules?: readonly RunningModule[];
  /** It keeps what it would send where it was given `capture`. */
  readonly captures?: true;
  readonly source?: Source;
  readonly target?: Target;
  readonly storage?: Storage;
  /** Of a relational database. */
  readonly schema?: Schema;
}
