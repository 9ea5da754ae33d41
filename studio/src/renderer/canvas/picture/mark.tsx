import type { ReactNode } from 'react';
import type { StopPlace } from '../../debug/breakpoints/breakpoints.ts';
import { keyOf } from '../../debug/breakpoints/breakpoints.ts';
import { shapeOf, spoken } from '../../debug/breakpoints/mark-shape.ts';
import { debugOf } from '../../debug/session/session.ts';
import { useStudio } from '../../shell/studio.ts';
import { useStore } from '../../state/use-store.ts';
import { Icon } from '../../theme/icon.tsx';

interface MarkProps {
  /** The first that has a breakpoint is shown. */
  readonly places: readonly (StopPlace | undefined)[];
  /** A thread is paused there. */
  readonly isHere?: boolean | undefined;
  /** Shown while it is absent. */
  readonly children?: ReactNode;
}

/** The breakpoint of a stage or rule, as the gutter shows it. */
export function BreakpointMark({ places, isHere, children }: MarkProps) {
  const { breakpoints } = debugOf(useStudio());
  const isMuted = useStore(breakpoints.isMuted);
  const mark = useStore(breakpoints.marks, (marks) => {
    for (const place of places) {
      const found = place && marks.get(keyOf(place));
      if (found) return found;
    }
    return undefined;
  });
  if (mark === undefined) return isHere ? <Icon name="breakpoint-here" label="paused" /> : children;
  const words = spoken(mark);
  return (
    <span title={words} className="breakpoint-icon">
      <Icon name={isHere ? 'breakpoint-here' : shapeOf(mark, isMuted)} label={words} />
    </span>
  );
}
