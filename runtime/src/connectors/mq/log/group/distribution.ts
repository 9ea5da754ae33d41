import type { Assignment } from './assignment.ts';
import type { Subscription } from './subscription.ts';

export interface Subscriber extends Subscription {
  readonly id: string;
}

interface Place {
  readonly topic: string;
  readonly number: number;
}

/**
 * Distributes partitions so that members that may read the same have equally many, or one more or less, and the fewest
 * partitions move. One that another member still owns is given to no member: its owner gives it up first, and joins again.
 *
 * @param partitionsOf the partitions of a topic
 */
export function distribute(
  members: readonly Subscriber[],
  partitionsOf: (topic: string) => readonly number[],
): ReadonlyMap<string, Assignment> {
  const loads = [...members].sort(byId).map((member) => new Load(member));
  const byName = new Map(loads.map((load) => [load.id, load]));
  const owners = ownersOf(members);
  const free: Place[] = [];
  for (const topic of [...new Set(members.flatMap(({ topics }) => topics))].sort())
    for (const number of partitionsOf(topic)) {
      const owner = byName.get(owners.get(keyOf({ topic, number })) ?? '');
      if (owner?.reads(topic) === true) owner.add({ topic, number });
      else free.push({ topic, number });
    }
  for (const place of free) leastOf(loads, place.topic)?.add(place);
  while (moveOne(loads));
  const isHeldBack = (place: Place, id: string) => (owners.get(keyOf(place)) ?? id) !== id;
  return new Map(loads.map((load) => [load.id, load.assignment((place) => !isHeldBack(place, load.id))]));
}

/** A member, and what it is to read. */
class Load {
  readonly id: string;
  count = 0;
  readonly #topics: ReadonlySet<string>;
  readonly #numbers = new Map<string, number[]>();

  constructor({ id, topics }: Subscriber) {
    this.id = id;
    this.#topics = new Set(topics);
  }

  /** Topics of which it has partitions. */
  get held(): readonly string[] {
    return [...this.#numbers].filter(([, numbers]) => numbers.length > 0).map(([topic]) => topic);
  }

  reads(topic: string): boolean {
    return this.#topics.has(topic);
  }

  add({ topic, number }: Place): void {
    const numbers = this.#numbers.get(topic);
    if (numbers === undefined) this.#numbers.set(topic, [number]);
    else numbers.push(number);
    this.count++;
  }

  remove(topic: string): Place {
    this.count--;
    return { topic, number: this.#numbers.get(topic)?.pop() as number };
  }

  assignment(isGiven: (place: Place) => boolean): Assignment {
    const given = [...this.#numbers].map(
      ([topic, numbers]) =>
        [topic, numbers.filter((number) => isGiven({ topic, number })).sort((one, other) => one - other)] as const,
    );
    return Object.fromEntries(given.filter(([, numbers]) => numbers.length > 0));
  }
}

/** Who owns a partition that is claimed: the later generation wins; of two claims of one generation neither holds. */
function ownersOf(members: readonly Subscriber[]): ReadonlyMap<string, string> {
  const claims = new Map<string, { readonly id: string | undefined; readonly generation: number }>();
  const known = new Set(members.map(({ id }) => id));
  for (const { id, owned, generation } of members)
    for (const [topic, numbers] of Object.entries(owned))
      for (const number of numbers) {
        const key = keyOf({ topic, number });
        const other = claims.get(key);
        if (other === undefined || other.generation < generation) claims.set(key, { id, generation });
        else if (other.generation === generation && other.id !== id) claims.set(key, { id: undefined, generation });
      }
  return new Map([...claims].flatMap(([key, { id }]) => (id !== undefined && known.has(id) ? [[key, id]] : [])));
}

/** Moves a partition from a member that has more to one that has at least two less; false when no such one is there. */
function moveOne(loads: readonly Load[]): boolean {
  for (const from of [...loads].sort((one, other) => other.count - one.count))
    for (const topic of from.held) {
      const to = leastOf(loads, topic);
      if (to === undefined || to.count > from.count - 2) continue;
      to.add(from.remove(topic));
      return true;
    }
  return false;
}

function leastOf(loads: readonly Load[], topic: string): Load | undefined {
  return loads.reduce<Load | undefined>(
    (least, load) => (load.reads(topic) && (least === undefined || load.count < least.count) ? load : least),
    undefined,
  );
}

const keyOf = ({ topic, number }: Place) => `${topic}/${number}`;
const byId = ({ id: one }: Subscriber, { id: other }: Subscriber) => (one < other ? -1 : one > other ? 1 : 0);
