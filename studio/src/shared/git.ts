/** A file that differs from the last commit. */
export interface GitChange {
  readonly path: string;
  readonly kind: 'added' | 'changed' | 'removed';
}

/** What git knows of the open folder. */
export interface GitState {
  /** Undefined where a commit is checked out in place of a branch. */
  readonly branch: string | undefined;
  /** The last commit; undefined before the first. */
  readonly commit: string | undefined;
  /** Shown files that differ from the last commit, whether they are staged or not, in the order of their paths. */
  readonly changes: readonly GitChange[];
  readonly truncated: boolean;
}
