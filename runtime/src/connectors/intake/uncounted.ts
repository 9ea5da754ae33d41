import type { SourceCounts } from '../../foundation/contracts/observer.ts';

const nothing = () => undefined;

/** Where nothing is counted. */
export const uncounted: SourceCounts = {
  undispatched: nothing,
  dropped: nothing,
  passedOver: nothing,
  triedAgain: nothing,
  rejected: nothing,
  behind: nothing,
  held: nothing,
  waiting: nothing,
};
