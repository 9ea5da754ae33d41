import type { Store } from '../state/store.ts';
import type { IconName } from '../theme/icon.tsx';

/** One kind of thing that a running service holds, with a tab that shows it. */
export interface Operation {
  /** Also the kind of its tab. */
  readonly id: string;
  readonly title: string;
  readonly icon: IconName;
  /** What is known of it in few words, such as `3 run`; undefined while that is not known. */
  readonly summary: Store<string | undefined>;
  /** Reads it again from now on, until the returned function is called. */
  readonly watch: () => () => void;
}
