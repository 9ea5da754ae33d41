import type { Frame } from '../../message/frame.ts';
import type { Announce } from '../../message/part.ts';
import type { breathing } from './breath.ts';
import type { Progress } from './progress.ts';

/** What the chunks of one run have in common. */
export interface Run {
  readonly frame: Frame;
  readonly progress: Progress;
  readonly breath: ReturnType<typeof breathing>;
  /** Present when a debugger or a trace watches: then each row is written, and announced, by itself. */
  readonly announce: Announce | undefined;
}
