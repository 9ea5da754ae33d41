import type { Server } from '../support/servers/index.ts';

/** A server or a client of another maker that works with the program. One file of this folder for each. */
export interface Peer {
  /** As its makers call it: `Moquette`. */
  readonly name: string;
  readonly version: string;
  /** What is run with it, for the table: `sources and targets of MQTT 3.1.1`. */
  readonly ran: string;
  /** Servers of the tests that work beside it; absent: all of them. */
  readonly needs?: readonly Server[];
  /** What this machine lacks to run it, in words that say how to get it; absent when nothing is lacking. */
  missing(): string | undefined;
  /** Starts it, does every check and stops it. `tell` takes lines of progress. Rejects when it could not be started. */
  run(tell: (line: string) => void): Promise<readonly Outcome[]>;
  /** Checks that have another result there, since the peer is as it is. */
  readonly differs: readonly Difference[];
}

/** What became of one check. */
export interface Outcome {
  readonly check: string;
  /** Why it failed; absent when it passed. */
  readonly error?: string;
}

export interface Difference {
  /** How the names of its checks begin, or what is in them. */
  readonly checks: string | RegExp;
  /** What a user has to know, as a clause for the table: `a retained message is not removed by an empty one`. */
  readonly because: string;
  /** It depends on time, and is not seen in every run. */
  readonly sometimes?: true;
}

/** The outcomes of a peer, sorted by what they say. */
export interface Verdict {
  readonly passed: number;
  /** Differences that were seen, or are not seen in every run. */
  readonly seen: readonly Difference[];
  /** Differences that are listed and were not seen: the list is out of date. */
  readonly gone: readonly Difference[];
  /** Checks that failed and that no listed difference covers. */
  readonly wrong: readonly Outcome[];
}

export function verdictOf(peer: Peer, outcomes: readonly Outcome[]): Verdict {
  const failed = outcomes.filter((outcome) => outcome.error !== undefined);
  const isSeen = (difference: Difference) => failed.some((outcome) => covers(difference, outcome));
  const isShown = (difference: Difference) => difference.sometimes === true || isSeen(difference);
  return {
    passed: outcomes.length - failed.length,
    seen: peer.differs.filter(isShown),
    gone: peer.differs.filter((difference) => !isShown(difference)),
    wrong: failed.filter((outcome) => !peer.differs.some((difference) => covers(difference, outcome))),
  };
}

const covers = ({ checks }: Difference, { check }: Outcome): boolean =>
  typeof checks === 'string' ? check.startsWith(checks) : checks.test(check);
