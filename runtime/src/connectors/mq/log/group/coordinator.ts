import type { GroupMember, GroupMemberAssignment } from 'kafkajs';
import type { GroupBroker, ProtocolRequest } from '../library.ts';
import type { Protocol } from '../protocol.ts';

/** What a member is in its group, which outlives a connection. */
export interface MemberIdentity {
  /** What the coordinator calls it; empty for a new one. */
  id: string;
  /** Its static name (KIP-345): it is not removed when it leaves, and comes back as the same. */
  readonly instanceId?: string | undefined;
}

/** A request to enter a group. */
export interface Entry {
  readonly sessionTimeout: number;
  readonly rebalanceTimeout: number;
  readonly groupProtocols: readonly { readonly name: string; readonly metadata: Buffer }[];
}

/** A group that has come together. */
export interface Entered {
  readonly generationId: number;
  /** The first one that every member offers. */
  readonly groupProtocol: string;
  readonly leaderId: string;
  readonly memberId: string;
  /** Empty but for the leader. */
  readonly members: readonly GroupMember[];
}

type RequestName = 'JoinGroup' | 'SyncGroup' | 'Heartbeat' | 'LeaveGroup';

/**
 * Requests of one member to the coordinator of its group. The library passes on neither the static name of a member, nor the
 * id of one that is to join again, and lets no answer be held for as long as a group may need.
 */
export class Coordinator {
  readonly #broker: GroupBroker;
  readonly #protocol: Protocol;
  readonly #groupId: string;
  readonly #member: MemberIdentity;

  constructor(broker: GroupBroker, protocol: Protocol, groupId: string, member: MemberIdentity) {
    this.#broker = broker;
    this.#protocol = protocol;
    this.#groupId = groupId;
    this.#member = member;
  }

  get broker(): GroupBroker {
    return this.#broker;
  }

  /** Resolves when the group has come together: the coordinator holds the answer for as long as another member needs. */
  async join(entry: Entry): Promise<Entered> {
    try {
      return await this.#enter(entry);
    } catch (error) {
      // A new member gets its id first, and joins by that: it is the same one when a connection is lost meanwhile.
      const { name, memberId } = error as { readonly name?: string; readonly memberId?: string };
      if (name !== 'KafkaJSMemberIdRequired' || memberId === undefined) throw error;
      this.#member.id = memberId;
      return this.#enter(entry);
    }
  }

  /** Resolves with what the leader has assigned to this member: the coordinator holds the answer until it has. */
  async sync(generationId: number, groupAssignment: readonly GroupMemberAssignment[]): Promise<Buffer> {
    const answer = await this.#held('SyncGroup', { generationId, groupAssignment });
    return (answer as { readonly memberAssignment: Buffer }).memberAssignment;
  }

  async heartbeat(groupGenerationId: number): Promise<void> {
    await this.#send(this.#made('Heartbeat', { groupGenerationId }));
  }

  async leave(): Promise<void> {
    await this.#send(this.#made('LeaveGroup', {}));
  }

  async #enter(entry: Entry): Promise<Entered> {
    const entered = (await this.#held('JoinGroup', { ...entry, protocolType: 'consumer' })) as Entered;
    this.#member.id = entered.memberId;
    return entered;
  }

  #held(name: RequestName, values: object): Promise<unknown> {
    return this.#send({ ...this.#made(name, values), requestTimeout: Number.POSITIVE_INFINITY });
  }

  #made(name: RequestName, values: object): ProtocolRequest {
    const { definitions, keys } = this.#protocol;
    const { id: memberId, instanceId: groupInstanceId = null } = this.#member;
    const member = { groupId: this.#groupId, memberId, groupInstanceId };
    return this.#broker.lookupRequest(keys[name], definitions[name])({ ...member, ...values });
  }

  #send(request: ProtocolRequest): Promise<unknown> {
    return this.#broker.connectionPool.send(request);
  }
}
