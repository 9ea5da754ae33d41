import { setTimeout as sleep } from 'node:timers/promises';
import type { GroupMember, GroupMemberAssignment } from 'kafkajs';
import { typeOf } from '../failure.ts';
import type { Cluster, GroupBroker } from '../library.ts';
import type { Assignment } from './assignment.ts';
import type { GroupClient } from './client.ts';
import { Coordinator, type MemberIdentity } from './coordinator.ts';
import { distribute } from './distribution.ts';
import type { Offsets } from './offsets.ts';
import { readSubscription, writeSubscription } from './subscription.ts';

export interface GroupSettings {
  readonly groupId: string;
  /** Milliseconds without a sign of life after which the coordinator removes a member. */
  readonly sessionTimeout: number;
  /** Milliseconds in which every member must have joined again. */
  readonly rebalanceTimeout: number;
}

/** What a member reads from now on. */
export interface Joined {
  readonly assignment: Assignment;
  /** No other member can have been given what this one owned. */
  readonly continues: boolean;
  /** What this member owned and is not assigned is given to no member before it joins without it. */
  readonly isCooperative: boolean;
  /** How many members the group has; its leader alone knows it. */
  readonly members: number | undefined;
}

/** Numbers of partitions by topic. */
type Sizes = Readonly<Record<string, number>>;

/** What became of the membership, by an answer of the coordinator. */
export type MemberState = 'member' | 'rebalancing' | 'removed';

/** Answers after which a member joins again. */
const statesByAnswer: Readonly<Record<string, MemberState>> = {
  REBALANCE_IN_PROGRESS: 'rebalancing',
  ILLEGAL_GENERATION: 'removed',
  UNKNOWN_MEMBER_ID: 'removed',
};

/** Answers after which the coordinator is looked for again. */
const moved = ['NOT_COORDINATOR_FOR_GROUP', 'GROUP_COORDINATOR_NOT_AVAILABLE', 'GROUP_LOAD_IN_PROGRESS'];

/** How often a coordinator is looked for again, and milliseconds before that. */
const mostMoves = 10;
const pauseOfMove = 200;

/** Members keep what they own while they join (KIP-429). */
const cooperative = 'cooperative-sticky';
/** What every member of a group has in common: other programs may read nothing while they join. */
const protocols = [cooperative, 'RoundRobinAssigner'];
/**
 * Kept by the leader beside an assignment in which nothing is given to a member that another one owns, and before how many
 * partitions each topic had.
 */
const cooperativeLeader = 'svc:cooperative';

/** Milliseconds between two signs of life of a member. */
export const heartbeatEvery = ({ sessionTimeout }: GroupSettings) => Math.min(3_000, sessionTimeout / 6);

/**
 * One member of a group, as its coordinator knows it. What the coordinator may hold is asked over a connection of its own,
 * since a broker answers the requests of one connection in their order.
 */
export class Membership {
  readonly #client: GroupClient;
  readonly #settings: GroupSettings;
  readonly #topics: readonly string[];
  readonly #member: MemberIdentity;
  #generation = -1;
  /** The generation of the last assignment. */
  #settled = -1;
  /** No other member can have been given what this one owns since then. */
  #isUnbroken = true;
  #isCooperative = false;
  #hasLeft = false;
  /** How many partitions each topic had when it was distributed. */
  #sizes: Sizes = {};
  #coordinator: Coordinator | undefined;

  /** @param member what it is from now on is kept there, for the connection after this one */
  constructor(client: GroupClient, settings: GroupSettings, topics: readonly string[], member: MemberIdentity) {
    this.#client = client;
    this.#settings = settings;
    this.#topics = topics;
    this.#member = member;
  }

  /** Whether the coordinator knows this member, as far as it has said. */
  get isMember(): boolean {
    return this.#member.id !== '';
  }

  /** Whether every member keeps what it owns while the group comes together again. */
  get isCooperative(): boolean {
    return this.#isCooperative;
  }

  /** Whether topics have further partitions beside those that were distributed. */
  get hasFurtherPartitions(): boolean {
    return Object.entries(this.#sizesNow()).some(([topic, size]) => size > (this.#sizes[topic] ?? size));
  }

  /**
   * Resolves when the group has come together; undefined when it has changed again meanwhile.
   *
   * @param owned what this member has read until now
   */
  async join(owned: Assignment): Promise<Joined | undefined> {
    const { sessionTimeout, rebalanceTimeout } = this.#settings;
    const memberId = this.#member.id;
    const metadata = writeSubscription({
      topics: this.#topics,
      // What a member had that was removed may be read elsewhere.
      owned: memberId === '' ? {} : owned,
      generation: this.#settled,
    });
    const groupProtocols = protocols.map((name) => ({ name, metadata }));
    try {
      const { cluster, joining } = this.#client;
      this.#coordinator = await this.#find(cluster);
      await joining.addMultipleTargetTopics([...this.#topics]);
      const holding = await this.#find(joining);
      if (this.#hasLeft) return undefined;
      const joined = await this.#whileHeld(holding.join({ sessionTimeout, rebalanceTimeout, groupProtocols }));
      const isAgreed = joined.groupProtocol === cooperative;
      this.#isUnbroken &&= joined.memberId === memberId && (isAgreed || joined.generationId - this.#settled <= 1);
      this.#generation = joined.generationId;
      const isLeader = joined.leaderId === joined.memberId;
      const assigned = isLeader ? await this.#distribute(joined.members) : [];
      const memberAssignment = await this.#whileHeld(holding.sync(this.#generation, assigned));
      const { default: library } = await import('kafkajs');
      const given = library.AssignerProtocol.MemberAssignment.decode(memberAssignment);
      const kept = given?.userData?.toString() ?? '';
      this.#sizes = readSizes(kept) ?? this.#sizesNow();
      const continues = this.#isUnbroken;
      this.#isUnbroken = true;
      this.#settled = this.#generation;
      this.#isCooperative = isAgreed;
      return {
        assignment: given?.assignment ?? {},
        continues,
        isCooperative: isAgreed || kept.startsWith(cooperativeLeader),
        members: isLeader ? joined.members.length : undefined,
      };
    } catch (error) {
      const state = statesByAnswer[typeOf(error) ?? ''];
      if (state === undefined && !isMoved(error)) throw error;
      if (state === 'removed') this.#remove();
      return undefined;
    }
  }

  /** Tells the coordinator that this member is there. */
  async heartbeat(): Promise<MemberState> {
    return this.#ask((coordinator) => coordinator.heartbeat(this.#generation));
  }

  /** The offsets that the group has for these partitions; those without one are absent. */
  async offsets(assignment: Assignment): Promise<Offsets> {
    for (let tries = 1; ; tries++)
      try {
        return await this.#offsetsNow(assignment);
      } catch (error) {
        if (!isMoved(error) || tries > mostMoves) throw error;
        await sleep(pauseOfMove);
        this.#coordinator = await this.#find(this.#client.cluster);
      }
  }

  async #offsetsNow(assignment: Assignment): Promise<Offsets> {
    const { groupId } = this.#settings;
    const topics = Object.entries(assignment).map(([topic, partitions]) => ({
      topic,
      partitions: partitions.map((partition) => ({ partition, offset: '-1' })),
    }));
    const { broker } = this.#coordinator ?? (await this.#find(this.#client.cluster));
    const { responses } = await broker.offsetFetch({ groupId, topics });
    return responses.flatMap(({ topic, partitions }) =>
      partitions
        .map(({ partition, offset, ...kept }) => ({ topic, partition, offset: BigInt(offset), ...kept }))
        .filter(({ offset }) => offset >= 0n),
    );
  }

  async commit(offsets: Offsets): Promise<MemberState> {
    const topics = Object.entries(Object.groupBy(offsets, ({ topic }) => topic)).map(([topic, partitions = []]) => ({
      topic,
      partitions: partitions.map(({ partition, offset, metadata = '' }) => ({
        partition,
        offset: String(offset),
        metadata,
      })),
    }));
    const { groupId } = this.#settings;
    return this.#ask(({ broker }) => {
      const member = { groupId, memberId: this.#member.id, groupGenerationId: this.#generation };
      return broker.offsetCommit({ ...member, topics });
    });
  }

  /** The others need not wait until this member is missed: it joins no more. One with a static name is to come back, and stays. */
  async leave(): Promise<void> {
    this.#hasLeft = true;
    if (this.#member.id === '' || this.#member.instanceId !== undefined) return;
    const coordinator = this.#coordinator ?? (await this.#find(this.#client.cluster));
    await coordinator.leave();
    this.#remove();
  }

  async #find(cluster: Cluster): Promise<Coordinator> {
    const { groupId } = this.#settings;
    const broker = await cluster.findGroupCoordinator({ groupId });
    return new Coordinator(broker, this.#client.protocol, groupId, this.#member);
  }

  /** What the coordinator holds may take as long as any member needs; meanwhile it is asked whether it is there. */
  async #whileHeld<T>(answer: Promise<T>): Promise<T> {
    const { promise: gone, reject } = Promise.withResolvers<never>();
    let isAsked = false;
    const ask = async () => {
      if (isAsked) return;
      isAsked = true;
      // Whatever it says of this member, the answer that it holds says it too.
      await this.#coordinator?.heartbeat(this.#generation).catch((error: unknown) => {
        if (typeOf(error) === undefined) reject(error);
      });
      isAsked = false;
    };
    const asking = setInterval(ask, heartbeatEvery(this.#settings));
    try {
      return await Promise.race([answer, gone]);
    } finally {
      clearInterval(asking);
    }
  }

  async #ask(request: (coordinator: Coordinator) => Promise<unknown>): Promise<MemberState> {
    try {
      await request(this.#coordinator as Coordinator);
      return 'member';
    } catch (error) {
      const state = isMoved(error) ? 'rebalancing' : statesByAnswer[typeOf(error) ?? ''];
      if (state === undefined) throw error;
      if (typeOf(error) === 'UNKNOWN_MEMBER_ID') this.#remove();
      return state;
    }
  }

  /** The coordinator has no such member any more. */
  #remove(): void {
    this.#member.id = '';
    this.#isUnbroken = false;
  }

  #sizesNow(): Sizes {
    const { cluster } = this.#client;
    return Object.fromEntries(this.#topics.map((topic) => [topic, cluster.findTopicPartitionMetadata(topic).length]));
  }

  /** What the leader of a group does. */
  async #distribute(members: readonly GroupMember[]): Promise<GroupMemberAssignment[]> {
    const { cluster } = this.#client;
    const { default: library } = await import('kafkajs');
    await cluster.refreshMetadata();
    const kept = Buffer.from(`${cooperativeLeader} ${JSON.stringify(this.#sizesNow())}`);
    const subscribers = members.map(({ memberId: id, memberMetadata }) => ({
      id,
      ...readSubscription(memberMetadata),
    }));
    const topics = new Set(subscribers.flatMap((member) => member.topics));
    const others = await partitionsAt(
      (this.#coordinator as Coordinator).broker,
      [...topics].filter((topic) => !this.#topics.includes(topic)),
    );
    const partitionsOf = (topic: string) =>
      others.get(topic) ?? cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId);
    return [...distribute(subscribers, partitionsOf)].map(([memberId, assignment]) => ({
      memberId,
      memberAssignment: library.AssignerProtocol.MemberAssignment.encode({
        version: 0,
        assignment: Object.fromEntries(Object.entries(assignment).map(([topic, numbers]) => [topic, [...numbers]])),
        userData: kept,
      }),
    }));
  }
}

/** Partitions of topics that this member does not read; one that does not exist is without any. */
async function partitionsAt(
  broker: GroupBroker,
  topics: readonly string[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const found = new Map<string, readonly number[]>();
  for (const topic of topics) {
    found.set(topic, []);
    const { topicMetadata } = await broker.metadata([topic]).catch((error: unknown) => {
      if (typeOf(error) === 'UNKNOWN_TOPIC_OR_PARTITION') return { topicMetadata: [] };
      throw error;
    });
    for (const { topic: name, partitionMetadata } of topicMetadata)
      found.set(
        name,
        partitionMetadata.map(({ partitionId }) => partitionId),
      );
  }
  return found;
}

/** What the leader says of topics; undefined where it is another program, which says nothing of that. */
function readSizes(kept: string): Sizes | undefined {
  if (!kept.startsWith(`${cooperativeLeader} {`)) return undefined;
  try {
    return JSON.parse(kept.slice(cooperativeLeader.length)) as Sizes;
  } catch {
    return undefined;
  }
}

function isMoved(error: unknown): boolean {
  return moved.includes(typeOf(error) ?? '');
}
