import { Failure } from '../../../foundation/errors/failure.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';

/** One server of a cluster. */
export interface Node {
  /** Scheme, host and port: no path and no data can change them. */
  readonly origin: string;
  /** Path below which its API is, without a slash at its end; empty at the root. */
  readonly base: string;
}

interface Kept extends Node {
  /** How often it could not be reached since it was reached last. */
  failures: number;
  /** Elapsed milliseconds of the clock from which on it is asked again. */
  since: number;
}

/** A node that cannot be reached is left out for this long, twice as long after each further failure, and no longer than the last. */
const shortest = 1_000;
const longest = 60_000;

/** The nodes of a cluster, each in its turn; those that cannot be reached are left out for a while. */
export class Nodes {
  readonly #nodes: readonly Kept[];
  readonly #clock: Clock;
  #turn = 0;

  constructor(addresses: readonly URL[], clock: Clock) {
    this.#clock = clock;
    this.#nodes = addresses.map(({ origin, pathname }) => ({
      origin,
      base: pathname.replace(/\/+$/, ''),
      failures: 0,
      since: 0,
    }));
  }

  /** Each of them, whether it is left out now or not. */
  get all(): readonly Node[] {
    return this.#nodes;
  }

  get size(): number {
    return this.#nodes.length;
  }

  /** The node for the next request; those in `tried` only when there is no other. When all are left out, the one that was left out first. */
  next(tried: ReadonlySet<Node>): Node {
    const now = this.#clock.elapsed();
    const inTurn = this.#nodes.map((_, at) => this.#nodes[(this.#turn + at) % this.#nodes.length] as Kept);
    const untried = inTurn.filter((node) => !tried.has(node));
    const open = untried.length > 0 ? untried : inTurn;
    const [first, ...others] = open as [Kept, ...Kept[]];
    const chosen =
      open.find(({ since }) => since <= now) ??
      others.reduce((soonest, node) => (node.since < soonest.since ? node : soonest), first);
    this.#turn = (this.#nodes.indexOf(chosen) + 1) % this.#nodes.length;
    return chosen;
  }

  /** It answered. */
  reached(node: Node): void {
    const kept = node as Kept;
    kept.failures = 0;
    kept.since = 0;
  }

  /** It could not be reached, or cannot serve. */
  failed(node: Node): void {
    const kept = node as Kept;
    kept.since = this.#clock.elapsed() + Math.min(shortest * 2 ** Math.min(kept.failures, 10), longest);
    kept.failures++;
  }
}

/** Reads an address of the configuration. Its credentials are never part of a message. */
export function addressIn(text: string, attribute: string): URL {
  const address = URL.parse(text);
  if (address?.protocol === 'http:' || address?.protocol === 'https:') return address;
  throw new Failure('connector_failed', `"${attribute}" is not an http:// or https:// address`, { retriable: false });
}
