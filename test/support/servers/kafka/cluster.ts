import type { Group } from './groups.ts';
import type { Topics } from './topics.ts';
import type { Transactions } from './transactions.ts';

/** One broker of the cluster, at the address that it announces. */
export interface Node {
  readonly id: number;
  readonly host: string;
  readonly port: number;
}

/** What the brokers of a cluster know. */
export interface Cluster {
  readonly topics: Topics;
  readonly groups: Map<string, Group>;
  readonly transactions: Transactions;
  /** Milliseconds that a group without members waits for others after its first one. */
  readonly initialDelay: number;
  /** The brokers, at the addresses that this client gets. */
  nodes(client: string): readonly Node[];
  /** The broker that coordinates groups. */
  coordinator(client: string): Node;
  /** Notes what a producer asks for: whose confirmation. */
  notedAcks(acks: number): void;
  /** Notes what a consumer asks for: milliseconds to wait for bytes, and how many of these. */
  notedFetch(asked: { readonly wait: number; readonly least: number; readonly most: number }): void;
  /** Of which partitions nothing is said in answers to what was produced, and nothing kept. */
  leavesOut: ((partition: number) => boolean) | undefined;
  /** The error that a partition has for what is produced, of which it keeps nothing then. */
  refuses: ((partition: number) => number) | undefined;
  /** An id that no producer has. */
  newProducer(): bigint;
  /** Tells fetches that wait that something was produced. */
  produced(): void;
  /** Resolves when something is produced, or after these milliseconds. */
  whenProduced(milliseconds: number): Promise<void>;
}
