import { partOfStudio } from '../../shell/studio.ts';
import { Store } from '../../state/store.ts';
import type { IconName } from '../../theme/icon.tsx';
import type { Thread } from '../session/thread.ts';

/** Something that can be done with a run that has ended, or with the input of one that is under way. */
export interface RunAction {
  readonly id: string;
  readonly title: string;
  readonly icon: IconName;
  /** Why it cannot be done with this run; undefined when it can. */
  readonly refused: (thread: Thread) => string | undefined;
  readonly run: (thread: Thread) => Promise<void>;
}

/** Carries an action out, or says why it cannot be. */
export async function carryOut({ title, refused, run }: RunAction, thread: Thread | undefined): Promise<void> {
  if (thread === undefined) throw new Error(`${title}: no run is shown.`);
  const reason = refused(thread);
  if (reason !== undefined) throw new Error(`${title}: ${reason}`);
  await run(thread);
}

/** What features offer to do with runs; see `contributeRequests`. */
export const runActionsOf = partOfStudio(() => new Store<readonly RunAction[]>([]));
