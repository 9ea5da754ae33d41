import type { OutlineFlow } from '@svc/protocol/language';
import type { Thread } from '../../debug/session/thread.ts';
import { stageAt, stageBefore } from '../course.ts';
import { lineBetween, undoLines } from '../graph/inner-lines.ts';

interface InnerLinesProps {
  readonly flow: OutlineFlow;
  readonly thread: Thread | undefined;
}

/** Behind the stages of an open flow: the way that a paused thread came by, and what undoes what. */
export function InnerLines({ flow, thread }: InnerLinesProps) {
  const here = thread && stageAt(flow, thread);
  const came = here && lineBetween(flow, stageBefore(flow, thread)?.id, here.id);
  return (
    <svg className="inner-lines" aria-hidden="true">
      {undoLines(flow).map((line) => (
        <path key={line} className="undo-line" d={line} />
      ))}
      {/* Another line is another element, so that its gold moves from the start. */}
      {came !== undefined && <path key={came} className="came-by" pathLength={1} d={came} />}
    </svg>
  );
}
