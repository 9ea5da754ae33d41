import type { Cluster } from '../library.ts';
import { numbersOf } from './kept-records.ts';
import type { Membership } from './membership.ts';
import type { Offsets } from './offsets.ts';
import { offsetsAt, type StartPosition } from './start-position.ts';

/**
 * Where a group begins in partitions. Those that a topic got while the group existed are read from their first message,
 * since what came before they were noticed is unread; of the others the settings say it.
 */
export class Beginnings {
  readonly #cluster: Cluster;
  readonly #start: StartPosition;
  readonly #membership: Membership;
  readonly #begun: ReadonlySet<string>;
  /** Of each topic the first number that is new to the group. */
  readonly #firstNew = new Map<string, number>();

  /** @param begun topics of which the group had offsets before, whatever it has now */
  constructor(cluster: Cluster, start: StartPosition, membership: Membership, begun: ReadonlySet<string>) {
    this.#cluster = cluster;
    this.#start = start;
    this.#membership = membership;
    this.#begun = begun;
  }

  /** Finds out which partitions the group knows. Called before it is joined. */
  async look(topics: readonly string[]): Promise<void> {
    if (this.#start.kind === 'earliest') return;
    for (const topic of topics) {
      const numbers = numbersOf(this.#cluster, topic);
      const committed = await this.#membership.offsets({ [topic]: numbers });
      const last = Math.max(-1, ...committed.map(({ partition }) => partition));
      // A topic without offsets is new to the group as a whole; one that had some was made again.
      const isFirst = last < 0 && !this.#begun.has(topic);
      this.#firstNew.set(topic, isFirst ? numbers.length : last + 1);
    }
  }

  /** Where the group is in partitions; one of which it has committed nothing is without metadata. */
  async of(topic: string, numbers: readonly number[]): Promise<Offsets> {
    if (numbers.length === 0) return [];
    const committed = await this.#membership.offsets({ [topic]: numbers });
    const missing = numbers.filter((number) => !committed.some(({ partition }) => partition === number));
    const firstNew = this.#firstNew.get(topic) ?? Number.POSITIVE_INFINITY;
    const old = missing.filter((number) => number < firstNew);
    const added = missing.filter((number) => number >= firstNew);
    return [
      ...committed,
      ...(old.length === 0 ? [] : await offsetsAt(this.#cluster, this.#start, topic, old)),
      ...(added.length === 0 ? [] : await offsetsAt(this.#cluster, { kind: 'earliest' }, topic, added)),
    ];
  }
}
