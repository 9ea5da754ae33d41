import type { ForcedValue, Variables } from '@svc/protocol/wire';
import { preview } from '../../values/values.ts';
import type { Inspected } from './inspection.ts';

/** Values that the person set, by what expressions call them: `step.quote.shipping`. */
export function forcedByText({ forced }: Pick<Variables, 'forced'>): ReadonlyMap<string, ForcedValue> {
  return new Map(
    forced.map((each) => {
      const [root = '', ...rest] = each.path;
      return [[root === 'steps' ? 'step' : root, ...rest].join('.'), each];
    }),
  );
}

/** What the person set in a thread that is paused, of what an expression reads. */
export function forcedIn(
  inspected: Inspected | undefined,
  threadId: string,
  expression: string,
): ForcedValue | undefined {
  if (inspected === undefined || inspected.isRecorded || inspected.threadId !== threadId) return undefined;
  return forcedByText(inspected.variables).get(expression.trim());
}

/** What is said beside a value that the person set. */
export function forcedNote({ was }: ForcedValue): string {
  return was === null ? 'forced, was nothing' : `forced, was ${preview(was, 30)}`;
}
