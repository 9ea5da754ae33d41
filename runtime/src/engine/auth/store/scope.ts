/** Milliseconds for which a program writes what the version before it reads, after it first had these accounts. */
const besideFormer = 24 * 3_600_000;

/** What keeps apart what belongs to accounts of one store from what belongs to those of another. */
export class AccountScope {
  /** Made once and kept with the accounts. */
  readonly id: string;
  /** Milliseconds since 1970; undefined where no version before had these accounts. */
  readonly upgradedAt: number | undefined;

  constructor(id: string, upgradedAt?: number) {
    this.id = id;
    this.upgradedAt = upgradedAt;
  }

  /** Whether processes of the version before may run beside this one, so that they have to read what it writes. */
  writesAsBefore(now: number): boolean {
    return this.upgradedAt !== undefined && now < this.upgradedAt + besideFormer;
  }

  /** Whether something may be left that the version before wrote, which lasts for `lifetime` milliseconds at most. */
  readsAsBefore(now: number, lifetime: number): boolean {
    return this.upgradedAt !== undefined && now < this.upgradedAt + besideFormer + lifetime;
  }
}
