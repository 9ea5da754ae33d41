import { setTimeout as sleep } from 'node:timers/promises';
import { textOf } from '../../../../net/connection.ts';
import type { Log } from '../../../../observe/log.ts';
import type { GroupClient } from '../client.ts';
import type { FetchedRecord } from '../library.ts';
import { readDoneAhead } from './done-ahead.ts';
import { Fetcher, type FetchSettings } from './fetcher.ts';
import { type Assignment, type GroupSettings, Membership } from './membership.ts';
import { AssignedPartition, type Progress } from './partition.ts';
import { offsetsAt, type StartPosition } from './start-position.ts';

export interface ConsumerSettings extends GroupSettings, Omit<FetchSettings, 'enough'> {
  readonly topics: readonly string[];
  readonly start: StartPosition;
  /** Offsets move when messages are delivered, whatever becomes of them. */
  readonly autoCommit: boolean;
}

export interface ConsumerOptions {
  readonly client: GroupClient;
  readonly settings: ConsumerSettings;
  readonly memberId: string;
  readonly log: Log;
  /** The brokers cannot be asked any more. */
  readonly lost: (reason: string) => void;
}

/** Takes a message of the group. */
export type Take = (record: FetchedRecord, partition: AssignedPartition) => void;

/** Messages that wait in this process to be delivered, of each partition, before no more of it is fetched. */
const enough = 500;
/** How much of the time to rebalance may pass until what is under way is not waited for any more. */
const shareOfRebalance = 0.7;
/** Milliseconds before another attempt to join. */
const pauseOfJoin = 200;

/**
 * Reads topics as a member of a group: joins, fetches what it is assigned, delivers at most a window of it, commits what is
 * done and contiguous in each partition, and lets work under way end before it joins again.
 */
export class GroupConsumer {
  readonly #options: ConsumerOptions;
  readonly #membership: Membership;
  readonly #ended = new AbortController();
  #partitions: readonly AssignedPartition[] = [];
  #fetcher: Fetcher | undefined;
  #running: Promise<void> | undefined;
  #take: { readonly take: Take; readonly window: number } | undefined;
  /** Partitions of the next delivery begin here, so that each has its turn. */
  #turn = 0;
  #underWay = 0;
  #idle = Promise.withResolvers<void>();
  #isPaused = false;
  #isProceeding = false;
  #committing: Promise<void> | undefined;

  constructor(options: ConsumerOptions) {
    const { client, settings, memberId } = options;
    this.#options = options;
    this.#membership = new Membership(client, settings, settings.topics, memberId);
  }

  /** What the coordinator calls this member. */
  get memberId(): string {
    return this.#membership.memberId;
  }

  /** Joins the group, if it has not; what goes wrong from then on is reported by `lost`. */
  start(): void {
    this.#running ??= this.#run().catch((error: unknown) => {
      if (!this.#ended.signal.aborted) this.#options.lost(textOf(error));
    });
  }

  /** From now on messages go here, at most `window` at a time; undefined: nowhere. */
  deliver(to: Take | undefined, window: number): void {
    this.#take = to && { take: to, window };
    this.#proceed();
  }

  /** The next message that has come; undefined when nothing waits now. `commits`: its offset moves now, or when it is settled. */
  next(
    commits = this.#options.settings.autoCommit,
  ): { readonly record: FetchedRecord; readonly partition: AssignedPartition } | undefined {
    if (this.#isPaused) return undefined;
    for (let tried = 0; tried < this.#partitions.length; tried++) {
      const partition = this.#partitions[this.#turn++ % this.#partitions.length] as AssignedPartition;
      const record = partition.take();
      if (record === undefined) continue;
      this.#underWay++;
      if (commits) this.#done(partition, record);
      this.#fetcher?.proceed();
      return { record, partition };
    }
    return undefined;
  }

  /** A message was handled, or never will be here. */
  settled(partition: AssignedPartition, record: FetchedRecord): void {
    this.#done(partition, record);
    this.#free();
  }

  /** A message was not begun: it is delivered again. */
  putBack(partition: AssignedPartition, record: FetchedRecord): void {
    partition.putBack(record);
    this.#free();
  }

  /** A message could not be settled: it stays where it is until another member, or this one, begins there again. */
  left(): void {
    this.#free();
  }

  /** Messages that the group has not done yet, of a topic. */
  async lag(topic: string): Promise<number | undefined> {
    const { client, settings } = this.#options;
    const numbers = client.cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId);
    const [ends, committed] = await Promise.all([
      offsetsAt(client.cluster, { kind: 'latest' }, topic, numbers),
      this.#membership.offsets({ [topic]: numbers }),
    ]);
    const missing = numbers.filter((number) => !committed.some(({ partition }) => partition === number));
    const begins = missing.length === 0 ? [] : await offsetsAt(client.cluster, settings.start, topic, missing);
    const from = new Map([...begins, ...committed].map(({ partition, offset }) => [partition, offset]));
    return ends.reduce((sum, { partition, offset }) => {
      const behind = Number(offset - (from.get(partition) ?? offset));
      return sum + Math.max(0, behind);
    }, 0);
  }

  /** Commits what is done, and leaves the group. */
  async close(): Promise<void> {
    this.#end();
    await this.#committing;
    await this.#commit();
    await this.#membership.leave();
  }

  /** Ends at once; the coordinator misses this member after a while. */
  destroy(): void {
    this.#end();
    for (const partition of this.#partitions) partition.isLost = true;
  }

  #end(): void {
    this.#take = undefined;
    this.#ended.abort();
    this.#fetcher?.end();
  }

  async #run(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      const before = { generation: this.#membership.generation, memberId: this.#membership.memberId };
      const assignment = await this.#membership.join();
      if (signal.aborted) return;
      if (assignment === undefined) {
        await this.#sleep(pauseOfJoin);
        continue;
      }
      const continues =
        before.memberId === this.#membership.memberId && before.generation + 1 === this.#membership.generation;
      await this.#assign(assignment, continues);
      if (signal.aborted) return;
      await this.#stay();
      if (signal.aborted) return;
      await this.#drain();
    }
  }

  /** What this member keeps continues where it is; `continues`: no other member can have had it meanwhile. */
  async #assign(assignment: Assignment, continues: boolean): Promise<void> {
    const { client, settings, log } = this.#options;
    const kept = new Map<string, AssignedPartition>();
    for (const partition of this.#partitions) {
      const isKept = continues && assignment[partition.topic]?.includes(partition.number) === true;
      if (isKept) kept.set(`${partition.topic}/${partition.number}`, partition);
      else partition.isLost = true;
    }
    const partitions = [...kept.values()];
    for (const [topic, numbers] of Object.entries(assignment)) {
      const added = numbers.filter((number) => !kept.has(`${topic}/${number}`));
      if (added.length === 0) continue;
      const committed = await this.#membership.offsets({ [topic]: added });
      const missing = added.filter((number) => !committed.some(({ partition }) => partition === number));
      const begins = missing.length === 0 ? [] : await offsetsAt(client.cluster, settings.start, topic, missing);
      for (const { partition, offset, metadata } of committed) {
        const ahead = readDoneAhead(metadata, offset);
        partitions.push(new AssignedPartition(topic, partition, { offset, isCommitted: true, ahead }));
      }
      for (const { partition, offset } of begins)
        partitions.push(new AssignedPartition(topic, partition, { offset, isCommitted: false }));
    }
    this.#partitions = partitions;
    // It was closed meanwhile, and its connections with it.
    if (this.#ended.signal.aborted) return;
    log.info('partitions are assigned', {
      group: settings.groupId,
      partitions: partitions.map(({ topic, number }) => `${topic}/${number}`).sort(),
    });
    this.#isPaused = false;
    this.#fetcher = new Fetcher(client.cluster, { ...settings, enough }, partitions, {
      arrived: () => this.#proceed(),
      outOfRange: (partition) => this.#restart(partition),
      failed: (reason) => this.#options.lost(reason),
    });
    this.#fetcher.proceed();
    this.#commitSoon();
    this.#proceed();
  }

  /** Resolves when the group has changed, or topics have other partitions. */
  async #stay(): Promise<void> {
    const { client, settings } = this.#options;
    const every = Math.min(3_000, settings.sessionTimeout / 6);
    const sizes = () => settings.topics.map((topic) => client.cluster.findTopicPartitionMetadata(topic).length).join();
    const before = sizes();
    while (!this.#ended.signal.aborted) {
      await this.#sleep(every);
      if (this.#ended.signal.aborted || (await this.#membership.heartbeat()) !== 'member') return;
      await client.cluster.refreshMetadataIfNecessary();
      if (sizes() !== before) return;
    }
  }

  /** Waits until what is under way has ended, and commits it: the next member of a partition begins behind it. */
  async #drain(): Promise<void> {
    const { settings } = this.#options;
    this.#isPaused = true;
    this.#fetcher?.end();
    const late = performance.now() + settings.rebalanceTimeout * shareOfRebalance;
    while (this.#underWay > 0 && performance.now() < late && !this.#ended.signal.aborted) {
      const step = new AbortController();
      const pause = Math.min(settings.sessionTimeout / 6, Math.max(1, late - performance.now()));
      await Promise.race([this.#idle.promise, sleep(pause, undefined, { signal: step.signal }).catch(() => undefined)]);
      step.abort();
      if (this.#underWay > 0 && (await this.#membership.heartbeat()) === 'removed') break;
    }
    await this.#committing;
    await this.#commit();
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

  /** Delivers what there is room for. A message that ends at once makes room again: the loop that delivered it goes on. */
  #proceed(): void {
    if (this.#isProceeding) return;
    this.#isProceeding = true;
    try {
      while (this.#take !== undefined && this.#underWay < this.#take.window) {
        const { take } = this.#take;
        const found = this.next();
        if (found === undefined) return;
        take(found.record, found.partition);
      }
    } finally {
      this.#isProceeding = false;
    }
  }

  #done(partition: AssignedPartition, { offset }: FetchedRecord): void {
    if (partition.isLost) return;
    partition.done(BigInt(offset));
    this.#commitSoon();
  }

  #free(): void {
    this.#underWay--;
    if (this.#underWay === 0) {
      this.#idle.resolve();
      this.#idle = Promise.withResolvers<void>();
    }
    this.#proceed();
  }

  /** One commit at a time: what is done meanwhile goes with the next one. */
  #commitSoon(): void {
    if (this.#ended.signal.aborted || this.#committing !== undefined) return;
    this.#committing = Promise.resolve()
      .then(() => this.#commit())
      .then(
        (isCommitted) => {
          this.#committing = undefined;
          if (isCommitted && this.#uncommitted().length > 0) this.#commitSoon();
        },
        (error: unknown) => {
          this.#committing = undefined;
          if (!this.#ended.signal.aborted) this.#options.lost(textOf(error));
        },
      );
  }

  /** Whether the coordinator has taken it; otherwise the group has changed, and the next heartbeat says how. */
  async #commit(): Promise<boolean> {
    const done = this.#uncommitted();
    if (done.length === 0) return true;
    const offsets = done.map(({ partition: { topic, number }, progress: { offset, metadata } }) => ({
      topic,
      partition: number,
      offset,
      metadata,
    }));
    if ((await this.#membership.commit(offsets)) !== 'member') return false;
    for (const { partition, progress } of done) partition.committed(progress.change);
    return true;
  }

  #uncommitted(): readonly { readonly partition: AssignedPartition; readonly progress: Progress }[] {
    return this.#partitions.flatMap((partition) => {
      const progress = partition.isLost ? undefined : partition.uncommitted;
      return progress === undefined ? [] : [{ partition, progress }];
    });
  }

  async #sleep(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.#ended.signal }).catch(() => undefined);
  }
}
