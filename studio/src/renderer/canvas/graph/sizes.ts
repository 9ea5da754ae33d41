import type { OutlineFlow, OutlineStage } from '@svc/protocol/language';

// Pixels. canvas.css draws nodes in these sizes, so that nothing has to be measured before it is laid out.
export const connectorWidth = 140;
export const pillWidth = 216;
export const closedHeight = 44;
export const cardWidth = 460;
/** Widths of the four lanes of an open flow. */
export const laneWidths: readonly number[] = [92, 112, 148, 108];
export const headHeight = 40;
export const laneHeadHeight = 32;
export const laneGap = 8;
export const stageHeight = 40;
export const ruleHeight = 20;
export const rulesHeadHeight = 26;
const edgeOfCard = 2;
const lowestLane = 120;
/** Where edges come in, from the top of an open flow. */
export const firstPort = 62;
const portGap = 40;

/** Whether a stage shows its rules one by one: the others name what they fetch or forward. */
export function showsRules({ family, rules }: OutlineStage): boolean {
  return family === 'shape' && rules.length > 0;
}

export function heightOfStage(stage: OutlineStage): number {
  return showsRules(stage) ? rulesHeadHeight + stage.rules.length * ruleHeight + 6 : stageHeight;
}

export function cardHeight({ stages }: OutlineFlow): number {
  const lanes = Map.groupBy(stages, ({ family }) => family);
  const heights = [...lanes.values()].map((lane) =>
    lane.reduce((sum, stage) => sum + heightOfStage(stage) + laneGap, laneGap),
  );
  return edgeOfCard + headHeight + laneHeadHeight + Math.max(lowestLane, ...heights) + laneGap;
}

/** Where the edge at a place of all that leave a flow begins, from its top. */
export function portTop(isOpen: boolean, height: number, at: number, count: number): number {
  if (!isOpen) return closedHeight / 2;
  return firstPort + at * Math.min(portGap, (height - firstPort - 20) / Math.max(1, count - 1));
}
