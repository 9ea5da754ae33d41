/** Errors of a system that say that nothing can be written for now (errno(3)), in words. */
const says: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the disk quota is exceeded',
  EROFS: 'the file system is read-only',
};
/** Causes of causes that are looked at. */
const deepest = 5;

/** Whether a part of the service can write to its disk, as the last write has shown. */
export class DiskState {
  readonly #what: string;
  #problem: string | undefined;

  /** `what` is what cannot be written, for messages. */
  constructor(what: string) {
    this.#what = what;
  }

  /** Why nothing can be written; undefined when something can. */
  get problem(): string | undefined {
    return this.#problem;
  }

  wrote(): void {
    this.#problem = undefined;
  }

  /** A write has failed; for other reasons than the disk, too. */
  failed(error: unknown): void {
    const reason = diskProblem(error);
    if (reason !== undefined) this.tell(reason);
  }

  protected tell(reason: string): void {
    this.#problem = `${this.#what} cannot be written: ${reason}`;
  }

  /** Does something that writes. */
  async writing<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      this.wrote();
      return result;
    } catch (error) {
      this.failed(error);
      throw error;
    }
  }
}

/** Whether something was not written because of the disk. */
export function isOfDisk(error: unknown): boolean {
  return diskProblem(error) !== undefined;
}

function diskProblem(error: unknown): string | undefined {
  let cause = error;
  for (let depth = 0; depth < deepest && cause instanceof Error; depth++) {
    const { code } = cause as NodeJS.ErrnoException;
    if (typeof code === 'string' && Object.hasOwn(says, code)) return says[code];
    cause = cause.cause;
  }
  return undefined;
}
