import type { Broker, Cluster as DeclaredCluster, IHeaders } from 'kafkajs';

/** A record as the library decodes it. */
export interface FetchedRecord {
  readonly offset: string;
  /** Unix milliseconds. */
  readonly timestamp: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers?: IHeaders;
  /** Why it is not messages: the value is a batch that cannot be read. */
  readonly problem?: string;
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
  /** The offset behind the last batch, which may have no record that is left; undefined: that of the last record says it. */
  readonly next?: bigint | undefined;
}

/** A request in one version of the protocol. */
export interface ProtocolRequest {
  readonly request: { readonly apiVersion: number };
  readonly response: { decode(bytes: Buffer): Promise<object>; parse(answer: object): Promise<unknown> };
  /** Milliseconds; the library takes that of the client where this is shorter. */
  readonly requestTimeout?: number;
}

/** The versions of a request that the library has. */
export type RequestDefinition = object;

/** What a broker does for a group, which the declarations of the library leave out. */
export interface GroupBroker extends Omit<Broker, 'fetch' | 'describeGroups' | 'metadata'> {
  describeGroups(request: { readonly groupIds: readonly string[] }): Promise<{
    readonly groups: readonly { readonly members: readonly unknown[] }[];
  }>;
  metadata(topics: readonly string[]): Promise<TopicsMetadata>;
  /** A new id for a producer. */
  initProducerId(request: { readonly transactionTimeout: number }): Promise<{
    readonly producerId: string;
    readonly producerEpoch: number;
  }>;
  /** Gives what makes a request in the latest version that both sides have. */
  lookupRequest(apiKey: number, definition: RequestDefinition): (values: object) => ProtocolRequest;
  readonly connectionPool: { send(request: ProtocolRequest): Promise<unknown> };
}

/** Partitions of topics. */
export interface TopicsMetadata {
  readonly topicMetadata: readonly {
    readonly topic: string;
    readonly partitionMetadata: readonly { readonly partitionId: number }[];
  }[];
}

/** The brokers that a client knows, and where partitions are. */
export interface Cluster extends Omit<DeclaredCluster, 'findBroker' | 'findGroupCoordinator' | 'metadata'> {
  findBroker(node: { nodeId: string }): Promise<GroupBroker>;
  findGroupCoordinator(group: { groupId: string }): Promise<GroupBroker>;
  metadata(options?: { topics: string[] }): Promise<TopicsMetadata>;
}
