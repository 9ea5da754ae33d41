import type { IconName } from '../theme/icon.tsx';
import type { Verdict } from './results.ts';

interface Look {
  readonly icon: IconName;
  readonly ink: string;
  /** For those who listen. */
  readonly label: string;
}

/** How a test looks: its shape says what its colour does. */
export const looks: Readonly<Record<Verdict, Look>> = {
  none: { icon: 'test', ink: 'aside', label: 'not run' },
  running: { icon: 'hourglass', ink: 'info', label: 'running' },
  passed: { icon: 'okc', ink: 'ok', label: 'passed' },
  failed: { icon: 'error', ink: 'error', label: 'failed' },
};
