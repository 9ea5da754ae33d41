import type { GroupMember, GroupMemberAssignment } from 'kafkajs';
import type { GroupBroker, ProtocolRequest, RequestDefinition } from '../library.ts';

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

/** The requests of the library by name, and their numbers. */
export interface GroupRequests {
  readonly definitions: Readonly<Record<RequestName, RequestDefinition>>;
  readonly keys: Readonly<Record<RequestName, number>>;
}

/** The library passes on neither the static name of a member, nor the id of one that is to join again. */
export async function groupRequests(): Promise<GroupRequests> {
  // @ts-expect-error The library does not declare its inner modules.
  const { default: protocol } = await import('kafkajs/src/protocol/requests/index.js');
  // @ts-expect-error As above.
  const { default: keys } = await import('kafkajs/src/protocol/requests/apiKeys.js');
  return { definitions: protocol.requests, keys };
}

/** Requests of one member to the coordinator of its group. */
export class Coordinator {
  readonly #broker: GroupBroker;
  readonly #requests: GroupRequests;
  readonly #groupId: string;
  readonly #member: MemberIdentity;

  constructor(broker: GroupBroker, requests: GroupRequests, groupId: string, member: MemberIdentity) {
    this.#broker = broker;
    this.#requests = requests;
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
      // A new member is told its id, and joins by that: what is lost with a connection is no further member.
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
    const { definitions, keys } = this.#requests;
    const { id: memberId, instanceId: groupInstanceId = null } = this.#member;
    const member = { groupId: this.#groupId, memberId, groupInstanceId };
    return this.#broker.lookupRequest(keys[name], definitions[name])({ ...member, ...values });
  }

  #send(request: ProtocolRequest): Promise<unknown> {
    return this.#broker.connectionPool.send(request);
  }
}
