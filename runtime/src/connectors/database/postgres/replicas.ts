import type { Clock } from '../../../observe/clock.ts';
import type { PostgresNode } from './node.ts';

/** How long a replica that could not be reached is left alone; milliseconds. */
const rest = 10_000;

interface Replica {
  readonly node: PostgresNode;
  readonly weight: number;
  /** Grows by the weight with each choice, and shrinks by all weights when chosen. */
  credit: number;
  restsUntil: number;
}

/** Read replicas in turns, by their weights. */
export class Replicas {
  private readonly replicas: readonly Replica[];
  private readonly clock: Clock;

  constructor(nodes: readonly { readonly node: PostgresNode; readonly weight: number }[], clock: Clock) {
    this.replicas = nodes.map(({ node, weight }) => ({ node, weight, credit: 0, restsUntil: 0 }));
    this.clock = clock;
  }

  get nodes(): readonly PostgresNode[] {
    return this.replicas.map((replica) => replica.node);
  }

  /** The next replica that is not resting, or undefined: then the primary is asked. */
  next(): PostgresNode | undefined {
    if (this.replicas.length === 0) return undefined;
    const now = this.clock.elapsed();
    let chosen: Replica | undefined;
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
  rest(node: PostgresNode): void {
    for (const replica of this.replicas) if (replica.node === node) replica.restsUntil = this.clock.elapsed() + rest;
  }
}
