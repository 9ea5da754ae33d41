import { textOf } from '../../../../platform/net/connection.ts';
import type { Membership } from './membership.ts';
import type { AssignedPartition } from './partition.ts';

export interface CommitsOptions {
  readonly membership: Membership;
  /** The partitions whose progress is committed. */
  readonly held: () => readonly AssignedPartition[];
  /** The group has offsets of these topics. */
  readonly committed: (topics: readonly string[]) => void;
  /** The coordinator cannot be asked any more. */
  readonly failed: (reason: string) => void;
}

/** Commits what is done: one commit at a time, and what is done meanwhile goes with the next one. */
export class Commits {
  readonly #options: CommitsOptions;
  #committing: Promise<void> | undefined;
  #hasEnded = false;

  constructor(options: CommitsOptions) {
    this.#options = options;
  }

  /** What is done is committed as soon as it can be. */
  soon(): void {
    if (this.#hasEnded || this.#committing !== undefined) return;
    this.#committing = Promise.resolve()
      .then(() => this.#commit())
      .then(
        (isCommitted) => {
          this.#committing = undefined;
          if (isCommitted && this.#open().length > 0) this.soon();
        },
        (error: unknown) => {
          this.#committing = undefined;
          if (!this.#hasEnded) this.#options.failed(textOf(error));
        },
      );
  }

  /** Whether the coordinator has all that is done; otherwise the group has changed, and the next heartbeat says how. */
  async all(): Promise<boolean> {
    await this.#committing;
    return this.#commit();
  }

  /** From now on something is committed by `all` alone. */
  end(): void {
    this.#hasEnded = true;
  }

  async #commit(): Promise<boolean> {
    const open = this.#open();
    if (open.length === 0) return true;
    const offsets = open.map(({ partition: { topic, number }, progress: { offset, metadata } }) => ({
      topic,
      partition: number,
      offset,
      metadata,
    }));
    if ((await this.#options.membership.commit(offsets)) !== 'member') return false;
    this.#options.committed(offsets.map(({ topic }) => topic));
    for (const { partition, progress } of open) partition.committed(progress);
    return true;
  }

  #open() {
    return this.#options.held().flatMap((partition) => {
      const progress = partition.isLost ? undefined : partition.uncommitted;
      return progress === undefined ? [] : [{ partition, progress }];
    });
  }
}
