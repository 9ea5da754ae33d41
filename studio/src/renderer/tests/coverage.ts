import type { CoveredPlace, TestCoverage } from '../../shared/tests.ts';
import { partOfStudio } from '../shell/studio.ts';
import { Store } from '../state/store.ts';

/** How far tests reach something: all of it, one side of a condition only, nothing. */
export type Reach = 'covered' | 'partly' | 'uncovered';

export interface Reached {
  readonly reach: Reach;
  /** For people: `input.n > 1 was never false`. */
  readonly detail: string;
}

/** What the last run reached of the flows, while it is shown. */
export class ShownCoverage {
  readonly isShown = new Store(false);
  readonly last = new Store<TestCoverage | undefined>(undefined);
  /** Grows whenever something else is shown. */
  readonly places = new Store<ReadonlyMap<string, Reached>>(new Map());

  constructor() {
    const update = () => {
      const { value } = this.last;
      this.places.set(this.isShown.value && value !== undefined ? reachedOf(value.places) : new Map());
    };
    this.isShown.subscribe(update);
    this.last.subscribe(update);
  }

  /** What was reached of a stage (`ruleIndex` -1) or of a rule. */
  of(flow: string, stage: string, name: string, ruleIndex: number): Reached | undefined {
    return this.places.value.get(keyOf(flow, stage, name, ruleIndex));
  }
}

export const coverageOf = partOfStudio(() => new ShownCoverage());

function keyOf(flow: string, stage: string, name: string, ruleIndex: number): string {
  return [flow, stage, name, ruleIndex].join('\n');
}

export function reachedOf(places: readonly CoveredPlace[]): ReadonlyMap<string, Reached> {
  return new Map(
    places.map(({ flow, stage, name, ruleIndex = -1, ran, missing }) => [
      keyOf(flow, stage, name, ruleIndex),
      !ran
        ? { reach: 'uncovered', detail: 'No test reaches this' }
        : missing.length > 0
          ? { reach: 'partly', detail: missing.join('; ') }
          : { reach: 'covered', detail: 'Tests reach this' },
    ]),
  );
}

const order: readonly Reach[] = ['uncovered', 'partly', 'covered'];

/** Of several flows that are one text: what any of them reached. */
export function best(one: Reached | undefined, other: Reached): Reached {
  return one !== undefined && order.indexOf(one.reach) >= order.indexOf(other.reach) ? one : other;
}
