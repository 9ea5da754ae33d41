import { Failure } from '../../../../foundation/errors/failure.ts';
import { failureOf } from '../failure.ts';
import type { GroupClient } from './client.ts';
import { type DoneAhead, readDoneAhead, writeDoneAhead } from './done-ahead.ts';
import { membersOf } from './figures.ts';
import { committedOf, isDone, type KeptRecord } from './kept-records.ts';
import { Membership } from './membership.ts';

/** What a group is to commit of a partition. */
interface Next {
  readonly offset: bigint;
  readonly metadata: string;
}

/** Milliseconds after which a client that was killed has left the group, and between two signs of life. */
const session = 10_000;
const heartbeat = 2_000;
/** How often a member joins that is not alone. */
const mostJoins = 10;
const othersBegan = 'another client has begun to send these dead letters back, or to remove them: this one has stopped';

/**
 * Which dead letters are done, as a group remembers it: the first that is not, and beside it what is done ahead of that. Who
 * does something with them is its only member, and has stopped when another one joins.
 */
export class DoneLetters {
  readonly #group: GroupClient;
  readonly #groupId: string;
  readonly #membership: Membership;
  readonly #beat: NodeJS.Timeout;
  #isAlone = true;
  /** Letters that stay, by topic and partition, in ascending order. */
  readonly #left = new Map<string, bigint[]>();

  private constructor(group: GroupClient, groupId: string, membership: Membership) {
    this.#group = group;
    this.#groupId = groupId;
    this.#membership = membership;
    this.#beat = setInterval(() => {
      membership.heartbeat().then(
        (state) => {
          if (state !== 'member') this.#isAlone = false;
        },
        () => undefined,
      );
    }, heartbeat);
  }

  /** Rejects while another client does something with the letters. The brokers were asked for the topics before. */
  static async begin(group: GroupClient, groupId: string, topics: readonly string[]): Promise<DoneLetters> {
    if (((await membersOf(group, groupId)) ?? 0) > 0)
      throw refusal(
        'another client sends these dead letters back, or removes them; one that was killed is forgotten after ten seconds',
      );
    const membership = new Membership(group, { groupId, sessionTimeout: session, rebalanceTimeout: session }, topics, {
      id: '',
    });
    if (await isAlone(membership)) return new DoneLetters(group, groupId, membership);
    await membership.leave().catch(() => undefined);
    throw refusal(othersBegan);
  }

  /** A letter stays where it is. */
  leave({ topic, partition, record }: KeptRecord): void {
    const place = `${topic}/${partition}`;
    const left = this.#left.get(place);
    if (left === undefined) this.#left.set(place, [BigInt(record.offset)]);
    else left.push(BigInt(record.offset));
  }

  /**
   * What is committed once this letter is done too; undefined when it is. Rejects where so many letters before it are not
   * done that it could not be remembered.
   */
  async with({ topic, partition, record }: KeptRecord): Promise<Next | undefined> {
    if (!this.#isAlone) throw refusal(othersBegan);
    const offset = BigInt(record.offset);
    const left = this.#left.get(`${topic}/${partition}`) ?? [];
    const [committed] = await committedOf(this.#group, this.#groupId, topic, [partition]);
    const ahead = committed && readDoneAhead(committed.metadata, committed.offset);
    if (committed !== undefined && isDone(offset, committed.offset, ahead)) return undefined;
    const next = doneWith(offset, committed?.offset, ahead, left);
    if (next !== undefined) return next;
    throw refusal(
      `${partition}/${offset} of "${topic}" cannot be chosen without those before it: too many of them are not done for the brokers to remember which`,
    );
  }

  /** Rejects where another client has begun to do the same: it may send this letter too. */
  async commit({ topic, partition }: KeptRecord, { offset, metadata }: Next): Promise<void> {
    const state = await this.#membership.commit([{ topic, partition, offset, metadata }]).catch((error: unknown) => {
      throw refusal(`the brokers do not keep that a dead letter is done: ${failureOf(error).message}`);
    });
    if (state !== 'member') this.#isAlone = false;
    if (state === 'removed') throw refusal(othersBegan);
  }

  async end(): Promise<void> {
    clearInterval(this.#beat);
    await this.#membership.leave().catch(() => undefined);
  }
}

/** Joins until no one else is there. Of those that join at the same moment one is the leader and stays; the others are to leave. */
async function isAlone(membership: Membership): Promise<boolean> {
  for (let tries = 0; tries < mostJoins; tries++) {
    const joined = await membership.join({});
    if (joined === undefined) continue;
    if (joined.members === undefined || joined.members === 1) return joined.members === 1;
  }
  return false;
}

/** What is to be kept when a letter is done too; undefined where that is too much. */
export function doneWith(
  offset: bigint,
  committed: bigint | undefined,
  ahead: DoneAhead | undefined,
  left: readonly bigint[],
): Next | undefined {
  const known = ahead?.until ?? committed ?? 0n;
  const open = [...(ahead?.open ?? []), ...left.filter((each) => each >= known && each < offset)].filter(
    (each) => each !== offset,
  );
  const until = offset + 1n > known ? offset + 1n : known;
  const [first] = open;
  if (first === undefined) return { offset: until, metadata: '' };
  const metadata = writeDoneAhead({ until, open });
  const isContiguous = until - first <= BigInt(open.length);
  return metadata === '' && !isContiguous ? undefined : { offset: first, metadata };
}

function refusal(reason: string): Failure {
  return new Failure('connector_failed', reason, { retriable: false });
}
