import type { Debugger } from '../debugger.ts';
import { showFailures } from './failure-zone.ts';
import { showGutter } from './gutter.ts';
import { showHoverValues } from './hover-values.ts';
import { showInlineValues } from './inline-values.ts';
import { showReading } from './reading-zone.ts';
import { showSampleValues } from './sample-values.ts';

/**
 * What the debugger draws in texts: breakpoints, values beside the rules, the reading under the one that is
 * next, why one failed.
 */
export function showInText(owner: Debugger): void {
  showGutter(owner);
  showInlineValues(owner);
  showReading(owner);
  showFailures(owner);
  showSampleValues(owner);
  showHoverValues(owner);
}
