import { recordOf } from '../../preferences/settings.ts';
import type { KeptPart } from '../../shell/contributions.ts';
import type { Store } from '../../state/store.ts';
import { type Grouping, groupings } from './grouping.ts';

/** Keeps for each folder how its flows are grouped. */
export function keptGrouping(grouping: Store<Grouping>): KeptPart {
  const read = (stored: unknown) => groupings.find((each) => each === recordOf(stored)?.['grouping']);
  return {
    name: 'canvas',
    changes: grouping,
    read: () => ({ grouping: grouping.value }),
    restore: (stored) => grouping.set(read(stored) ?? 'automatic'),
    suggest: (brought) => {
      const suggested = read(brought);
      if (suggested !== undefined) grouping.set(suggested);
    },
  };
}
