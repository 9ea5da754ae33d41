import type { IconName } from '../../theme/icon.tsx';
import type { Mark } from './breakpoints.ts';

/** The shape of a breakpoint, the same in gutter, list and canvas: it says what the colour repeats. */
export function shapeOf({ isEnabled, verified, condition, hitCount, logMessage }: Mark, isMuted: boolean): IconName {
  if (!isEnabled || isMuted || verified === false) return 'breakpoint-unverified';
  if (logMessage) return 'logpoint';
  return condition || hitCount !== undefined ? 'breakpoint-conditional' : 'breakpoint';
}

/** What it is in words, for tooltips and for those who listen. */
export function spoken({ stage, name, ruleIndex, condition, hitCount, logMessage, verified, message, hits }: Mark) {
  const what = logMessage ? 'Log point' : 'Breakpoint';
  const place = ruleIndex < 0 ? `before ${stage}${name && ` ${name}`}` : `before rule ${ruleIndex + 1} of ${stage}`;
  const parts = [
    `${what} ${place}`,
    condition && `when ${condition}`,
    hitCount !== undefined && `from hit ${hitCount} on`,
    logMessage && `logs ${logMessage}`,
    hits > 0 && (hits === 1 ? '1 hit' : `${hits} hits`),
    verified === false && `not in the running version: ${message}`,
  ];
  return parts.filter(Boolean).join(', ');
}

/** Why a thread is paused, in words. */
export function spokenReason(reason: string): string {
  const words: Readonly<Record<string, string>> = {
    stepInto: 'step',
    runTo: 'run to here',
    restart: 'begun again',
    drop: 'dropped',
  };
  return words[reason] ?? reason;
}
