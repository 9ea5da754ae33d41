import { setTimeout as sleep } from 'node:timers/promises';
import type { QueueCounts } from '../../../../foundation/contracts/queue.ts';
import { systemClock } from '../../../../foundation/observe/clock.ts';
import type { Log } from '../../../../foundation/observe/log.ts';
import { textOf } from '../../../../platform/net/connection.ts';
import { typeOf } from '../failure.ts';
import type { FetchedRecord } from '../library.ts';
import type { Assignment } from './assignment.ts';
import { Beginnings } from './beginnings.ts';
import type { GroupClient } from './client.ts';
import { Commits } from './commits.ts';
import type { MemberIdentity } from './coordinator.ts';
import { Deliveries, type Take, type Taken } from './deliveries.ts';
import { readDoneAhead } from './done-ahead.ts';
import { Fetcher, type FetchSettings } from './fetcher.ts';
import { countsOf, membersOf } from './figures.ts';
import { numbersOf } from './kept-records.ts';
import { type GroupSettings, heartbeatEvery, type Joined, Membership } from './membership.ts';
import { AssignedPartition, assignmentOf, namesOf } from './partition.ts';
import { offsetsAt, type StartPosition } from './start-position.ts';

export interface ConsumerSettings extends GroupSettings, Omit<FetchSettings, 'enough'> {
  readonly topics: readonly string[];
  readonly start: StartPosition;
  /** Offsets move when messages are delivered, whatever becomes of them. */
  readonly autoCommit: boolean;
}

/** What a member of a group is, beyond a connection. */
export interface GroupPlace extends MemberIdentity {
  /** Topics of which the group has offsets since this process has read them. */
  readonly begun: Set<string>;
  /** Partitions that this process has read, of which something is done that may not be committed: by topic and number. */
  readonly left: Map<string, AssignedPartition>;
}

export interface ConsumerOptions {
  readonly client: GroupClient;
  readonly settings: ConsumerSettings;
  /** What it is in the group, beyond the connection. */
  readonly member: GroupPlace;
  readonly log: Log;
  /** The brokers cannot be asked any more. */
  readonly lost: (reason: string) => void;
}

/** Messages that wait in this process to be delivered, of each partition, before no more of it is fetched. */
const enough = 500;
/** How much of the time to rebalance may pass until what is under way is not waited for any more. */
const shareOfRebalance = 0.7;
/** Milliseconds before another attempt to join. */
const pauseOfJoin = 200;
/** Milliseconds that a consumer which is closed waits for the group to come together. */
const longestJoinAtEnd = 3_000;
const pauseOfCommit = 50;

/**
 * Reads topics as a member of a group: joins, fetches what it is assigned, delivers at most a window of it, and commits what
 * is done and contiguous in each partition. What it keeps is read on while the group changes. A partition that another
 * member is to have is given up when what is under way of it has ended and is committed.
 */
export class GroupConsumer {
  readonly #options: ConsumerOptions;
  readonly #membership: Membership;
  readonly #beginnings: Beginnings;
  readonly #commits: Commits;
  readonly #ended = new AbortController();
  readonly #fetcher: Fetcher;
  readonly #deliveries: Deliveries;
  /** Partitions that are read, and those that are given up soon. */
  #held: readonly AssignedPartition[] = [];
  #running: Promise<void> | undefined;

  constructor(options: ConsumerOptions) {
    const { client, settings, member } = options;
    this.#options = options;
    this.#membership = new Membership(client, settings, settings.topics, member);
    this.#beginnings = new Beginnings(client.cluster, settings.start, this.#membership, member.begun);
    this.#commits = new Commits({
      membership: this.#membership,
      held: () => this.#held,
      committed: (topics) => {
        for (const topic of topics) member.begun.add(topic);
      },
      failed: (reason) => this.#options.lost(reason),
    });
    this.#deliveries = new Deliveries(({ partition, record }, isAsked) => {
      if (settings.autoCommit && !isAsked) this.#done(partition, record);
      this.#fetcher.proceed();
    });
    this.#fetcher = new Fetcher(
      client,
      { ...settings, enough },
      {
        arrived: () => this.#deliveries.proceed(),
        passedOver: () => this.#commits.soon(),
        outOfRange: (partition) => this.#restart(partition),
        failed: (reason) => this.#options.lost(reason),
      },
    );
  }

  /** Joins the group, if it has not; what goes wrong from then on is reported by `lost`. */
  start(): void {
    this.#running ??= this.#run().catch((error: unknown) => {
      if (!this.#ended.signal.aborted) this.#options.lost(textOf(error));
    });
  }

  /** From now on messages go here, at most `window` at a time; undefined: nowhere. */
  deliver(to: Take | undefined, window: number): void {
    this.#deliveries.to(to, window);
  }

  /** The next message that has come, whose offset moves when it is settled; undefined when nothing waits now. */
  next(): Taken | undefined {
    return this.#deliveries.next();
  }

  /** A message was handled, or never will be here. */
  settled(partition: AssignedPartition, record: FetchedRecord): void {
    this.#done(partition, record);
    this.#deliveries.ended(partition);
  }

  /** A message was not begun: it is delivered again. */
  putBack(partition: AssignedPartition, record: FetchedRecord): void {
    partition.putBack(record);
    this.#deliveries.ended(partition);
  }

  /** A message could not be settled: it stays where it is until another member, or this one, begins there again. */
  left(partition: AssignedPartition): void {
    this.#deliveries.ended(partition);
  }

  /** Messages that the group has not done yet, of a topic. */
  async lag(topic: string): Promise<number> {
    return (await this.#parts(topic)).reduce((sum, { from, end }) => sum + Math.max(0, Number(end - from)), 0);
  }

  /** What the group has before it in a topic, and how many members it has. */
  async counts(topic: string): Promise<QueueCounts> {
    const { client, settings } = this.#options;
    const [parts, consumers] = await Promise.all([this.#parts(topic), membersOf(client, settings.groupId)]);
    return { ...countsOf(parts), ...(consumers !== undefined && { consumers }) };
  }

  async #parts(topic: string) {
    const { cluster } = this.#options.client;
    const numbers = numbersOf(cluster, topic);
    const [ends, begins] = await Promise.all([
      offsetsAt(cluster, { kind: 'latest' }, topic, numbers),
      this.#beginnings.of(topic, numbers),
    ]);
    const from = new Map(begins.map(({ partition, offset }) => [partition, offset]));
    return ends.map(({ partition, offset: end }) => {
      const begin = from.get(partition) ?? end;
      return { partition, from: begin, end, ahead: undefined };
    });
  }

  /** Commits what is done, and leaves the group; `stays`: another connection takes the place of this one. */
  async close(stays: boolean): Promise<void> {
    this.#end();
    // While the leader distributes partitions the coordinator takes no commit: what is done is committed after that.
    const late = systemClock.elapsed() + longestJoinAtEnd;
    while (!(await this.#commits.all()) && this.#membership.isMember && systemClock.elapsed() < late)
      await sleep(pauseOfCommit);
    if (!stays) await this.#membership.leave();
  }

  /** Ends at once; the coordinator misses this member after a while. */
  destroy(): void {
    this.#end();
    for (const partition of this.#held) this.#lose(partition);
  }

  #end(): void {
    this.#deliveries.to(undefined, 0);
    this.#ended.abort();
    this.#commits.end();
    this.#fetcher.end();
  }

  async #run(): Promise<void> {
    const { signal } = this.#ended;
    await this.#beginnings.look(this.#options.settings.topics);
    while (!signal.aborted) {
      // Of another program that leads the group, nothing is known but that it may give away what is under way.
      if (!this.#membership.isCooperative) await this.#finish();
      const joined = await this.#join();
      if (signal.aborted) return;
      if (joined === undefined) {
        await this.#sleep(pauseOfJoin);
        continue;
      }
      await this.#begin(joined.assignment);
      await this.#stay();
    }
  }

  async #join(): Promise<Joined | undefined> {
    const joined = await this.#membership.join(assignmentOf(this.#held));
    if (joined !== undefined) this.#sort(joined);
    return joined;
  }

  /** What this member keeps continues where it is. */
  #sort({ assignment, continues, isCooperative }: Joined): void {
    const { rebalanceTimeout } = this.#options.settings;
    for (const partition of this.#held) {
      const isAssigned = assignment[partition.topic]?.includes(partition.number) === true;
      if (!continues || !(isAssigned || isCooperative)) this.#lose(partition);
      else if (isAssigned) partition.leavesBy = undefined;
      else partition.leavesBy ??= systemClock.elapsed() + rebalanceTimeout * shareOfRebalance;
    }
    this.#hold(this.#held.filter(({ isLost }) => !isLost));
  }

  get #leaving(): readonly AssignedPartition[] {
    return this.#held.filter(({ leavesBy }) => leavesBy !== undefined);
  }

  #hold(partitions: readonly AssignedPartition[]): void {
    this.#held = partitions;
    const read = partitions.filter(({ leavesBy }) => leavesBy === undefined);
    this.#deliveries.from(read);
    this.#fetcher.read(read);
  }

  /** Reads what is assigned from where the group is. */
  async #begin(assignment: Assignment): Promise<void> {
    const { settings, log } = this.#options;
    const begun: AssignedPartition[] = [];
    const isHeld = (topic: string, number: number) =>
      this.#held.some((partition) => partition.topic === topic && partition.number === number);
    for (const [topic, numbers] of Object.entries(assignment)) {
      const added = numbers.filter((number) => !isHeld(topic, number));
      for (const { partition, offset, metadata } of await this.#beginnings.of(topic, added)) {
        const isCommitted = metadata !== undefined;
        const beginning = { offset, isCommitted, ahead: readDoneAhead(metadata, offset) };
        const before = isCommitted ? this.#options.member.left.get(`${topic}/${partition}`) : undefined;
        begun.push(new AssignedPartition(topic, partition, before?.continuing(beginning) ?? beginning));
      }
    }
    // It was closed meanwhile, and its connections with it.
    if (this.#ended.signal.aborted) return;
    this.#hold([...this.#held, ...begun]);
    for (const { topic, number } of begun) this.#options.member.left.delete(`${topic}/${number}`);
    log.info('partitions are assigned', {
      group: settings.groupId,
      partitions: namesOf(this.#held.filter(({ leavesBy }) => leavesBy === undefined)),
    });
    this.#commits.soon();
    this.#deliveries.proceed();
  }

  /** Resolves when the group has changed, topics have other partitions, or what other members wait for is given up. */
  async #stay(): Promise<void> {
    const { client, settings } = this.#options;
    const every = heartbeatEvery(settings);
    while (!this.#ended.signal.aborted) {
      if (await this.#giveUp()) return;
      const leaving = this.#leaving;
      await this.#deliveries.until(() => leaving.length > 0 && isFree(leaving), every, this.#ended.signal);
      if (this.#ended.signal.aborted || (await this.#membership.heartbeat()) !== 'member') return;
      // A partition that was just made has no leader yet.
      await client.cluster.refreshMetadataIfNecessary().catch((error: unknown) => {
        if (typeOf(error) !== 'LEADER_NOT_AVAILABLE') throw error;
      });
      if (this.#membership.hasFurtherPartitions) return;
    }
  }

  /** Whether everything that is to be given up was: what is under way of it has ended, or the time for that is over. */
  async #giveUp(): Promise<boolean> {
    const leaving = this.#leaving;
    if (leaving.length === 0 || !isFree(leaving)) return false;
    if (!(await this.#commits.all())) {
      // The group has changed: they are given up after that.
      await this.#sleep(pauseOfJoin);
      return true;
    }
    const { settings, log } = this.#options;
    log.info('partitions are given up', { group: settings.groupId, partitions: namesOf(leaving) });
    for (const partition of leaving) this.#lose(partition);
    this.#hold(this.#held.filter(({ isLost }) => !isLost));
    return true;
  }

  /** Waits until everything that is under way has ended, and commits it; nothing is begun meanwhile. */
  async #finish(): Promise<void> {
    const { settings } = this.#options;
    const late = systemClock.elapsed() + settings.rebalanceTimeout * shareOfRebalance;
    this.#deliveries.from([]);
    this.#fetcher.read([]);
    while (this.#deliveries.underWay > 0 && systemClock.elapsed() < late && !this.#ended.signal.aborted) {
      const pause = Math.min(settings.sessionTimeout / 6, Math.max(1, late - systemClock.elapsed()));
      await this.#deliveries.until(() => this.#deliveries.underWay === 0, pause, this.#ended.signal);
      if (this.#deliveries.underWay > 0 && (await this.#membership.heartbeat()) === 'removed') break;
    }
    await this.#commits.all();
  }

  /** Messages were removed before they were read, or the offset never was: what there is is read. */
  async #restart(partition: AssignedPartition): Promise<void> {
    const { client, log } = this.#options;
    const { topic, number, next } = partition;
    const [begins] = await offsetsAt(client.cluster, { kind: 'earliest' }, topic, [number]);
    const to = begins?.offset ?? 0n;
    log.error('the next message does not exist any more: reading continues with the earliest one', {
      topic,
      partition: number,
      offset: String(next),
      continues: String(to),
    });
    partition.jump(to);
  }

  #done(partition: AssignedPartition, { offset }: FetchedRecord): void {
    partition.done(BigInt(offset));
    if (!partition.isLost) this.#commits.soon();
  }

  /** Reads a partition no more. */
  #lose(partition: AssignedPartition): void {
    partition.lose();
    this.#options.member.left.set(`${partition.topic}/${partition.number}`, partition);
  }

  async #sleep(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.#ended.signal }).catch(() => undefined);
  }
}

/** Whether nothing of these is under way any more that is still waited for. */
function isFree(leaving: readonly AssignedPartition[]): boolean {
  const now = systemClock.elapsed();
  return leaving.every(({ underWay, leavesBy = now }) => underWay === 0 || leavesBy <= now);
}
