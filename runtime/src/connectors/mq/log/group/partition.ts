import { WaitingList } from '../../../intake/waiting-list.ts';
import type { FetchedRecord } from '../library.ts';
import type { Assignment } from './assignment.ts';
import { type DoneAhead, together, writeDoneAhead } from './done-ahead.ts';

/** Where reading a partition begins. */
export interface Beginning {
  readonly offset: bigint;
  /** Whether the group has committed it. */
  readonly isCommitted: boolean;
  readonly ahead?: DoneAhead | undefined;
}

/** What can be committed of a partition. */
export interface Progress {
  /** Everything before it is done. */
  readonly offset: bigint;
  /** What is done behind it. */
  readonly metadata: string;
  /** Says whether anything has changed since. */
  readonly change: number;
}

/** A partition that this member of the group reads. */
export class AssignedPartition {
  readonly topic: string;
  readonly number: number;
  /** Fetched and not delivered, in the order of offsets. */
  readonly #waiting = new WaitingList<FetchedRecord>();
  /** Delivered and not done, in the order of offsets. */
  #open: Set<bigint>;
  /** Of those, the ones that were open when this member began, until they are fetched. */
  readonly #expected: Set<bigint>;
  /** Before it everything but `#open` was done when this member began. */
  readonly #doneUntil: bigint;
  #next: bigint;
  #delivered: bigint;
  #bytes = 0;
  #change = 1;
  #committed = 0;
  /** The offset that the group has, as far as it has said. */
  #kept: bigint | undefined;
  /** Messages that were taken, and neither settled nor put back. */
  underWay = 0;
  /** It is given up when nothing of it is under way any more, or at this time of `systemClock.elapsed()`; undefined: it is kept. */
  leavesBy: number | undefined;
  /** Another member reads it now: what is still under way here is settled there. */
  isLost = false;

  constructor(topic: string, number: number, { offset, isCommitted, ahead }: Beginning) {
    this.topic = topic;
    this.number = number;
    this.#next = offset;
    this.#open = new Set(ahead?.open);
    this.#expected = new Set(ahead?.open);
    this.#doneUntil = ahead?.until ?? offset;
    this.#delivered = this.#doneUntil;
    if (!isCommitted) return;
    this.#committed = this.#change;
    this.#kept = offset;
  }

  /** The offset that is fetched next. */
  get next(): bigint {
    return this.#next;
  }

  /** Messages that wait to be delivered. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Bytes of these. */
  get bytes(): number {
    return this.#bytes;
  }

  /** What is done, unless it is committed. */
  get uncommitted(): Progress | undefined {
    if (this.#committed === this.#change) return undefined;
    const open = [...this.#open];
    const metadata = writeDoneAhead({ until: this.#delivered, open });
    return { offset: open[0] ?? this.#delivered, metadata, change: this.#change };
  }

  /** Continues somewhere else: what was to be read next is gone. */
  jump(to: bigint): void {
    this.#waiting.replace([]);
    this.#bytes = 0;
    this.#next = to;
    this.#delivered = to;
    this.#open = new Set([...this.#open].filter((offset) => offset >= to));
    this.#change++;
  }

  /** Records that were fetched from `next` on. Returns whether there is more to commit: what was passed over, with no message behind it. */
  add(records: readonly FetchedRecord[], next: bigint): boolean {
    for (const record of records) {
      const offset = BigInt(record.offset);
      if (offset < this.#doneUntil && !this.#expected.delete(offset)) continue;
      this.#waiting.push(record);
      this.#bytes += sizeOf(record);
    }
    // What was open and is not there any more was removed from the log.
    for (const offset of this.#expected)
      if (offset < next) {
        this.#expected.delete(offset);
        this.#open.delete(offset);
      }
    this.#next = next;
    if (this.#waiting.length > 0 || next <= this.#delivered) return false;
    this.#delivered = next;
    this.#change++;
    return true;
  }

  /** The next message, which is under way from now on. */
  take(): FetchedRecord | undefined {
    const record = this.#waiting.remove(0);
    if (record === undefined) return undefined;
    this.#bytes -= sizeOf(record);
    this.#open.add(BigInt(record.offset));
    const first = this.#waiting.at(0);
    const following = first === undefined ? this.#next : BigInt(first.offset);
    if (following > this.#delivered) this.#delivered = following;
    return record;
  }

  /** A message that was taken and not begun is delivered again; it stays one that is not done. */
  putBack(record: FetchedRecord): void {
    const offset = BigInt(record.offset);
    const at = this.#waiting.all.findIndex((other) => BigInt(other.offset) > offset);
    this.#waiting.insert(at < 0 ? this.#waiting.length : at, record);
    this.#bytes += sizeOf(record);
  }

  done(offset: bigint): void {
    this.#open.delete(offset);
    this.#change++;
  }

  /** The group has it as it was then. */
  committed({ change, offset }: Progress): void {
    this.#committed = change;
    this.#kept = offset;
  }

  /** It is read here no more. What is done of it stays known. */
  lose(): void {
    this.isLost = true;
    this.#waiting.replace([]);
    this.#bytes = 0;
  }

  /**
   * Where this process continues when it reads the partition again: what it has done is not done again, whether it could
   * commit it or not. Undefined where the group is at an offset that does not follow from what was committed here.
   */
  continuing({ offset, ahead = { until: offset, open: [] } }: Beginning): Beginning | undefined {
    if (this.#kept === undefined || offset < this.#kept || offset > this.#delivered) return undefined;
    const done = together({ until: this.#delivered, open: [...this.#open] }, ahead, offset);
    const [first] = done.open;
    return { offset: first ?? done.until, isCommitted: false, ahead: first === undefined ? undefined : done };
  }
}

function sizeOf({ key, value }: FetchedRecord): number {
  return (key?.length ?? 0) + (value?.length ?? 0);
}

/** Numbers in ascending order. */
export function assignmentOf(partitions: readonly AssignedPartition[]): Assignment {
  const byTopic = Object.groupBy(partitions, ({ topic }) => topic);
  const numbersOf = (ofTopic: readonly AssignedPartition[]) => ofTopic.map(({ number }) => number);
  return Object.fromEntries(
    Object.entries(byTopic).map(([topic, ofTopic = []]) => [
      topic,
      numbersOf(ofTopic).sort((one, other) => one - other),
    ]),
  );
}

/** As logs name them. */
export function namesOf(partitions: readonly AssignedPartition[]): readonly string[] {
  return partitions.map(({ topic, number }) => `${topic}/${number}`).sort();
}
