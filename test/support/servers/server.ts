/** A kind of server that tests talk to. One file of this folder for each. */
export interface Server {
  /** As it is called in messages: `PostgreSQL`. */
  readonly name: string;
  /** The environment variable that carries its address to the tests. */
  readonly variable: string;
  /** Where a server of this kind usually listens on this machine. */
  readonly usualAddress: string;
  /** Debian packages that bring its program. */
  readonly packages: readonly string[];
  /** Whether its program is on this machine. */
  isInstalled(): boolean;
  /** Whether a server of this kind answers at the address, by a few bytes of its own protocol. */
  answers(address: string): Promise<boolean>;
  /** Starts a private instance in a folder of its own, on a free port. */
  start(): Promise<RunningServer>;
}

/** An instance that is ours. */
export interface RunningServer {
  readonly address: string;
  /** The file its messages go to. */
  readonly log: string;
  /** Resolves when it has ended and its files are gone. May be called twice. */
  stop(): Promise<void>;
}
