import type { WatchedRule, WatchedStage } from '../../../foundation/contracts/probe.ts';

/** How far a thread runs by itself. */
export type Mode =
  | { readonly kind: 'run' }
  | { readonly kind: 'next' }
  | { readonly kind: 'stepInto' }
  | { readonly kind: 'pause' }
  | { readonly kind: 'restart'; readonly place: WatchedStage }
  | { readonly kind: 'runTo'; readonly stage: string; readonly name: string | undefined };

/** Why a thread is paused. Every client knows `breakpoint`, `step` and `stepInto`. */
export type Reason = 'breakpoint' | 'step' | 'stepInto' | 'pause' | 'runTo' | 'restart' | 'failure' | 'drop';

export const run: Mode = { kind: 'run' };

/** Whether the mode stops a thread before this stage or rule; undefined when it runs on. */
export function stepReason(mode: Mode, place: WatchedStage, rule: WatchedRule | undefined): Reason | undefined {
  switch (mode.kind) {
    case 'run':
      return undefined;
    case 'next':
      return rule === undefined ? 'step' : undefined;
    case 'stepInto':
      return rule === undefined ? undefined : 'stepInto';
    case 'pause':
      return 'pause';
    case 'restart':
      return rule === undefined && place === mode.place ? 'restart' : undefined;
    case 'runTo':
      return rule === undefined &&
        place.stage === mode.stage &&
        (mode.name === undefined || mode.name === place.name || mode.name === place.declared)
        ? 'runTo'
        : undefined;
  }
}

/** The reason as it is reported to a client that knows `breakpoint`, `step`, `stepInto` and `understood` ones. */
export function reportedReason(reason: Reason, understood: ReadonlySet<string>): string {
  switch (reason) {
    case 'pause':
    case 'runTo':
      return understood.has(reason) ? reason : 'step';
    case 'restart':
      return understood.has('restartStage') ? reason : 'step';
    case 'failure':
    case 'drop':
      return understood.has(reason) ? reason : 'breakpoint';
    default:
      return reason;
  }
}
