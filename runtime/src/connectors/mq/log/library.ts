import type { Broker, Cluster as DeclaredCluster, GroupMember, GroupMemberAssignment, IHeaders } from 'kafkajs';

/** A record as the library decodes it. */
export interface FetchedRecord {
  readonly offset: string;
  /** Unix milliseconds. */
  readonly timestamp: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers?: IHeaders;
  /** The end of a transaction, which is not a message. */
  readonly isControlRecord?: boolean;
  readonly batchContext?: {
    readonly firstOffset: string;
    readonly lastOffsetDelta: number;
    readonly producerId: string;
    readonly inTransaction: boolean;
  };
}

/** What one partition gave. */
export interface FetchedPartition {
  readonly partition: number;
  readonly abortedTransactions?: readonly { readonly producerId: string; readonly firstOffset: string }[];
  readonly messages: readonly FetchedRecord[];
}

interface Member {
  readonly groupId: string;
  readonly memberId: string;
}

/** What a broker does for a group, which the declarations of the library leave out. */
export interface GroupBroker extends Omit<Broker, 'fetch' | 'describeGroups'> {
  describeGroups(request: { readonly groupIds: readonly string[] }): Promise<{
    readonly groups: readonly { readonly members: readonly unknown[] }[];
  }>;
  joinGroup(
    request: Member & {
      readonly sessionTimeout: number;
      readonly rebalanceTimeout: number;
      readonly groupProtocols: readonly { readonly name: string; readonly metadata: Buffer }[];
    },
  ): Promise<{
    readonly generationId: number;
    /** The first one that every member offers. */
    readonly groupProtocol: string;
    readonly leaderId: string;
    readonly memberId: string;
    readonly members: GroupMember[];
  }>;
  syncGroup(
    request: Member & { readonly generationId: number; readonly groupAssignment: GroupMemberAssignment[] },
  ): Promise<{ readonly memberAssignment: Buffer }>;
  heartbeat(request: Member & { readonly groupGenerationId: number }): Promise<unknown>;
  leaveGroup(request: Member): Promise<unknown>;
  fetch(request: Parameters<Broker['fetch']>[0]): Promise<{
    readonly responses: readonly { readonly topicName: string; readonly partitions: readonly FetchedPartition[] }[];
  }>;
}

/** The brokers that a client knows, and where partitions are. */
export interface Cluster extends Omit<DeclaredCluster, 'findBroker' | 'findGroupCoordinator' | 'metadata'> {
  findBroker(node: { nodeId: string }): Promise<GroupBroker>;
  findGroupCoordinator(group: { groupId: string }): Promise<GroupBroker>;
  metadata(options?: { topics: string[] }): Promise<{
    readonly topicMetadata: readonly {
      readonly topic: string;
      readonly partitionMetadata: readonly { readonly partitionId: number }[];
    }[];
  }>;
}
