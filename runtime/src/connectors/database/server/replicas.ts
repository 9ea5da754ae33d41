import type { Clock } from '../../../foundation/observe/clock.ts';

/** How long a replica that could not be reached is left alone; milliseconds. */
const rest = 10_000;

interface Replica<N> {
  readonly node: N;
  readonly weight: number;
  /** Grows by the weight with each choice, and shrinks by all weights when chosen. */
  credit: number;
  restsUntil: number;
}

/** Read replicas in turns, by their weights. `N`: the connections to one server. */
export class Replicas<N> {
  private readonly replicas: readonly Replica<N>[];
  private readonly clock: Clock;

  constructor(nodes: readonly { readonly node: N; readonly weight: number }[], clock: Clock) {
    this.replicas = nodes.map(({ node, weight }) => ({ node, weight, credit: 0, restsUntil: 0 }));
    this.clock = clock;
  }

  get nodes(): readonly N[] {
    return this.replicas.map((replica) => replica.node);
  }

  /** The next replica that is not resting, or undefined: then the primary is asked. */
  next(): N | undefined {
    if (this.replicas.length === 0) return undefined;
    const now = this.clock.elapsed();
    let chosen: Replica<N> | undefined;
    let total = 0;
    for (const replica of this.replicas) {
      if (replica.restsUntil > now) continue;
      replica.credit += replica.weight;
      total += replica.weight;
      if (chosen === undefined || replica.credit > chosen.credit) chosen = replica;
    }
    if (chosen !== undefined) chosen.credit -= total;
    return chosen?.node;
  }

  /** Leaves a replica that could not be reached alone for a while. */
  rest(node: N): void {
    for (const replica of this.replicas) if (replica.node === node) replica.restsUntil = this.clock.elapsed() + rest;
  }
}
