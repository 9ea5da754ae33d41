import type { Breakpoint, CheckedBreakpoint } from '@svc/protocol/wire';
import { Store } from '../../state/store.ts';

/** Where a flow can stop; `ruleIndex` -1 is the stage itself. */
export interface StopPlace {
  readonly flow: string;
  readonly stage: string;
  /** Label of the block; empty when it has no label. */
  readonly name: string;
  readonly ruleIndex: number;
}

/** A breakpoint of this person, wherever it is shown: gutter, canvas, list. One set for all. */
export interface Mark extends StopPlace {
  readonly isEnabled: boolean;
  /** Stops only when this expression gives true. */
  readonly condition?: string | undefined;
  /** Stops from this hit on. */
  readonly hitCount?: number | undefined;
  /** Logs this text instead of stopping. */
  readonly logMessage?: string | undefined;
  /** What the running service said; undefined while none is attached. */
  readonly verified?: boolean | undefined;
  /** Why it is not verified, or another remark of the service. */
  readonly message: string;
  /** Times it stopped or logged since the service was attached. */
  readonly hits: number;
}

export function keyOf({ flow, stage, name, ruleIndex }: StopPlace): string {
  return [flow, stage, name, ruleIndex].join('\u0000');
}

/** The set of breakpoints. `changed` says to the attached session which flow to send again. */
export class Breakpoints {
  readonly marks = new Store<ReadonlyMap<string, Mark>>(new Map());
  /** All stay set and none is sent while this is true. */
  readonly isMuted = new Store(false);
  /** Called with the name of each flow whose breakpoints changed. */
  changed: (flow: string) => void = () => undefined;
  /**
   * Every place that is the same text as this one, itself among them: an aspect is part of each flow that it matches.
   */
  sharing: (place: StopPlace) => readonly StopPlace[] = (place) => [place];

  /** Sets one, or removes it when it is set. */
  toggle(place: StopPlace): void {
    const key = keyOf(place);
    if (this.marks.value.has(key)) this.remove(place);
    else this.set({ ...place, isEnabled: true, message: '', hits: 0 });
  }

  /** Sets or replaces one, in every flow that shares its text. */
  set(mark: Mark): void {
    const all = new Map(this.marks.value);
    const flows = this.#each(mark, (place, key) => {
      const { verified, message = '', hits = 0 } = key === keyOf(mark) ? mark : (all.get(key) ?? {});
      all.set(key, { ...mark, ...place, verified, message, hits });
    });
    this.marks.set(all);
    for (const flow of flows) this.changed(flow);
  }

  /** Removes one, from every flow that shares its text. */
  remove(place: StopPlace): void {
    const all = new Map(this.marks.value);
    const flows = this.#each(place, (_, key) => all.delete(key));
    this.marks.set(all);
    for (const flow of flows) this.changed(flow);
  }

  /** Calls for each place that shares the text of one; gives their flows. */
  #each(place: StopPlace, change: (place: StopPlace, key: string) => void): ReadonlySet<string> {
    const places = this.sharing(place);
    for (const { flow, stage, name, ruleIndex } of places.length === 0 ? [place] : places) {
      const each = { flow, stage, name, ruleIndex };
      change(each, keyOf(each));
    }
    return new Set([place.flow, ...places.map(({ flow }) => flow)]);
  }

  clear(): void {
    const { flows } = this;
    this.marks.set(new Map());
    for (const flow of flows) this.changed(flow);
  }

  mute(isMuted: boolean): void {
    this.isMuted.set(isMuted);
    for (const flow of this.flows) this.changed(flow);
  }

  get flows(): readonly string[] {
    return [...new Set([...this.marks.value.values()].map(({ flow }) => flow))];
  }

  /** What is sent to the service about a flow. */
  wanted(flow: string): readonly Breakpoint[] {
    if (this.isMuted.value) return [];
    return [...this.marks.value.values()]
      .filter((mark) => mark.flow === flow && mark.isEnabled)
      .map(({ stage, ruleIndex, name, condition, hitCount, logMessage }) => ({
        stage,
        ruleIndex,
        ...(name !== '' && { name }),
        ...(condition && { condition }),
        ...(hitCount !== undefined && { hitCount }),
        ...(logMessage && { logMessage }),
      }));
  }

  /** What the service answered to `wanted`. */
  checked(flow: string, answers: readonly CheckedBreakpoint[]): void {
    const marks = new Map(this.marks.value);
    for (const { stage, name = '', ruleIndex, verified, message } of answers) {
      const key = keyOf({ flow, stage, name, ruleIndex });
      const mark = marks.get(key);
      if (mark) marks.set(key, { ...mark, verified, message });
    }
    this.marks.set(marks);
  }

  /** No service is attached any more: nothing is known about any breakpoint. */
  forgetAnswers(): void {
    this.marks.update(
      (all) => new Map([...all].map(([key, mark]) => [key, { ...mark, verified: undefined, message: '', hits: 0 }])),
    );
  }

  /** A thread stopped or logged there. */
  hit(place: StopPlace): void {
    const key = keyOf(place);
    const mark = this.marks.value.get(key);
    if (mark) this.marks.set(new Map(this.marks.value).set(key, { ...mark, hits: mark.hits + 1 }));
  }
}
