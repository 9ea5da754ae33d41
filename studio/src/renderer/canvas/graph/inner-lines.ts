import type { OutlineFlow } from '@svc/protocol/language';
import { type Box, stageBoxesOf } from './boxes.ts';
import { firstPort } from './sizes.ts';
import { sagaStepOf } from './titles.ts';

/** Pixels before a box at which a line turns: the middle of what is between two lanes. */
const turn = 8;

/** The line from one stage of an open flow to another, or from where messages come in; undefined where one is not drawn. */
export function lineBetween(flow: OutlineFlow, from: string | undefined, to: string): string | undefined {
  const boxes = stageBoxesOf(flow);
  const end = boxes.get(to);
  const start = from === undefined ? { x: -turn, y: firstPort - turn, width: turn, height: 2 * turn } : boxes.get(from);
  return start && end && path(start, end);
}

function path(from: Box, to: Box): string {
  const middle = (box: Box) => Math.round(box.y + Math.min(box.height, 40) / 2);
  if (from.x === to.x) {
    const x = Math.round(from.x + from.width / 2);
    return to.y > from.y ? `M${x} ${from.y + from.height}V${to.y}` : `M${x} ${from.y}V${to.y + to.height}`;
  }
  // Backwards, as a step that is undone, a line leaves at the left.
  if (to.x < from.x) return `M${from.x} ${middle(from)}H${from.x - turn}V${middle(to)}H${to.x + to.width}`;
  return `M${from.x + from.width} ${middle(from)}H${to.x - turn}V${middle(to)}H${to.x}`;
}

/** What undoes what in a saga: a line from each action to its compensation. */
export function undoLines(flow: OutlineFlow): readonly string[] {
  return flow.stages.flatMap((stage) => {
    const step = sagaStepOf(stage);
    if (step === undefined || stage.word !== 'compensate') return [];
    const action = flow.stages.find((one) => one.word === 'action' && sagaStepOf(one) === step);
    return (action && lineBetween(flow, action.id, stage.id)) ?? [];
  });
}
