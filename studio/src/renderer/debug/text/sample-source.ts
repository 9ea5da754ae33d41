import { partOfStudio } from '../../shell/studio.ts';
import { Store } from '../../state/store.ts';
import type { OutlineFlow } from '../session/flow-map.ts';

/** A message of a flow that has not run here, and where it was found. */
export interface FoundSample {
  readonly input: unknown;
  /** Where it is from: the path of a request. */
  readonly from: string;
}

/** Finds a message for a flow that has not run; see `contributeRequests`. */
export type FindSample = (flow: OutlineFlow) => Promise<FoundSample | undefined>;

export const sampleSourceOf = partOfStudio(() => new Store<FindSample>(() => Promise.resolve(undefined)));
