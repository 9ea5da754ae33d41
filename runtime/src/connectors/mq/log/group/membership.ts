import type { GroupClient } from '../client.ts';
import { typeOf } from '../failure.ts';
import type { GroupBroker } from '../library.ts';

export interface GroupSettings {
  readonly groupId: string;
  /** Milliseconds without a sign of life after which the coordinator removes a member. */
  readonly sessionTimeout: number;
  /** Milliseconds in which every member must have joined again. */
  readonly rebalanceTimeout: number;
}

/** Partitions by topic. */
export type Assignment = Readonly<Record<string, readonly number[]>>;

/** The offsets behind what is done, by topic and partition. */
export type Offsets = readonly {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  /** What is kept beside it. */
  readonly metadata?: string | null | undefined;
}[];

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

/** One member of a group, as its coordinator knows it. */
export class Membership {
  readonly #client: GroupClient;
  readonly #settings: GroupSettings;
  readonly #topics: readonly string[];
  #memberId: string;
  #generation = -1;
  #coordinator: GroupBroker | undefined;
  #hasJoined = false;

  /** @param memberId what the coordinator called this member over the connection before; empty for a new one */
  constructor(client: GroupClient, settings: GroupSettings, topics: readonly string[], memberId: string) {
    this.#client = client;
    this.#settings = settings;
    this.#topics = topics;
    this.#memberId = memberId;
  }

  get memberId(): string {
    return this.#memberId;
  }

  get generation(): number {
    return this.#generation;
  }

  /** Resolves with the partitions of this member; undefined when the group has changed again meanwhile. */
  async join(): Promise<Assignment | undefined> {
    const { cluster, assigner } = this.#client;
    const { groupId, sessionTimeout, rebalanceTimeout } = this.#settings;
    try {
      this.#coordinator = await cluster.findGroupCoordinator({ groupId });
      const joined = await this.#coordinator.joinGroup({
        groupId,
        sessionTimeout,
        rebalanceTimeout,
        memberId: this.#memberId,
        groupProtocols: [assigner.protocol({ topics: [...this.#topics] })],
      });
      this.#memberId = joined.memberId;
      this.#generation = joined.generationId;
      const isLeader = joined.leaderId === joined.memberId;
      if (isLeader) await cluster.refreshMetadata();
      const groupAssignment = isLeader
        ? await assigner.assign({ members: joined.members, topics: [...this.#topics] })
        : [];
      const { memberAssignment } = await this.#coordinator.syncGroup({
        groupId,
        generationId: this.#generation,
        memberId: this.#memberId,
        groupAssignment,
      });
      const { default: library } = await import('kafkajs');
      this.#hasJoined = true;
      return library.AssignerProtocol.MemberAssignment.decode(memberAssignment)?.assignment ?? {};
    } catch (error) {
      const state = statesByAnswer[typeOf(error) ?? ''];
      if (state === undefined && !isMoved(error)) throw error;
      if (state === 'removed') this.#memberId = '';
      return undefined;
    }
  }

  /** Tells the coordinator that this member is there. */
  async heartbeat(): Promise<MemberState> {
    return this.#ask((coordinator, member) => coordinator.heartbeat(member));
  }

  /** The offsets that the group has for these partitions; those without one are absent. */
  async offsets(assignment: Assignment): Promise<Offsets> {
    const { groupId } = this.#settings;
    const topics = Object.entries(assignment).map(([topic, partitions]) => ({
      topic,
      partitions: partitions.map((partition) => ({ partition, offset: '-1' })),
    }));
    const coordinator = this.#coordinator ?? (await this.#client.cluster.findGroupCoordinator({ groupId }));
    const { responses } = await coordinator.offsetFetch({ groupId, topics });
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
    return this.#ask((coordinator, member) => coordinator.offsetCommit({ ...member, topics }));
  }

  /** The others need not wait until this member is missed. */
  async leave(): Promise<void> {
    if (!this.#hasJoined) return;
    this.#hasJoined = false;
    const [memberId, coordinator] = [this.#memberId, this.#coordinator];
    this.#memberId = '';
    await coordinator?.leaveGroup({ groupId: this.#settings.groupId, memberId });
  }

  async #ask(
    request: (
      coordinator: GroupBroker,
      member: { groupId: string; memberId: string; groupGenerationId: number },
    ) => Promise<unknown>,
  ): Promise<MemberState> {
    const { groupId } = this.#settings;
    const member = { groupId, memberId: this.#memberId, groupGenerationId: this.#generation };
    try {
      await request(this.#coordinator as GroupBroker, member);
      return 'member';
    } catch (error) {
      const state = isMoved(error) ? 'rebalancing' : statesByAnswer[typeOf(error) ?? ''];
      if (state === undefined) throw error;
      if (typeOf(error) === 'UNKNOWN_MEMBER_ID') this.#memberId = '';
      return state;
    }
  }
}

function isMoved(error: unknown): boolean {
  return moved.includes(typeOf(error) ?? '');
}
