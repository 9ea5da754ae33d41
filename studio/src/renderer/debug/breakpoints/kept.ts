import { recordOf } from '../../preferences/settings.ts';
import type { KeptPart } from '../../shell/contributions.ts';
import type { Breakpoints, Mark } from './breakpoints.ts';

const mostBreakpoints = 1_000;

/** Keeps the breakpoints of each folder. */
export function keptBreakpoints(breakpoints: Breakpoints): KeptPart {
  const set = (stored: unknown) => {
    for (const mark of marksOf(stored)) breakpoints.set(mark);
  };
  return {
    name: 'breakpoints',
    changes: breakpoints.marks,
    read: () => [...breakpoints.marks.value.values()].map(withoutAnswer),
    restore: (stored) => {
      breakpoints.clear();
      set(stored);
    },
    suggest: (brought) => {
      if (breakpoints.marks.value.size === 0) set(brought);
    },
  };
}

/** What can be used of breakpoints that were stored; anything else is left out. */
export function marksOf(value: unknown): readonly Mark[] {
  return (Array.isArray(value) ? value : []).slice(0, mostBreakpoints).flatMap(readMark);
}

function readMark(value: unknown): Mark[] {
  const { flow, stage, name = '', ruleIndex, isEnabled, condition, hitCount, logMessage } = recordOf(value) ?? {};
  if (typeof flow !== 'string' || typeof stage !== 'string' || typeof name !== 'string') return [];
  if (!Number.isSafeInteger(ruleIndex)) return [];
  return [
    {
      flow,
      stage,
      name,
      ruleIndex: ruleIndex as number,
      isEnabled: isEnabled !== false,
      condition: typeof condition === 'string' ? condition : undefined,
      hitCount: Number.isSafeInteger(hitCount) ? (hitCount as number) : undefined,
      logMessage: typeof logMessage === 'string' ? logMessage : undefined,
      message: '',
      hits: 0,
    },
  ];
}

function withoutAnswer(mark: Mark) {
  const { flow, stage, name, ruleIndex, isEnabled, condition, hitCount, logMessage } = mark;
  return { flow, stage, name, ruleIndex, isEnabled, condition, hitCount, logMessage };
}
