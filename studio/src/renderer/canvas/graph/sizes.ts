import type { OutlineFlow, OutlineStage, StageFamily } from '@svc/protocol/language';

// Pixels. picture/nodes.css draws nodes in these sizes, so that nothing has to be measured before it is laid out.
export const connectorWidth = 140;
export const pillWidth = 216;
export const closedHeight = 44;
/** Widths of the lanes of an open flow, in the order in which they are drawn. Rules have room for name and value. */
const laneWidths: Readonly<Record<StageFamily, number>> = { gate: 100, gather: 124, shape: 216, deliver: 132 };
/** A lane without stages is only a head, with what adds one. */
const emptyLaneWidth = 104;
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

/** Whether a stage shows its rules one by one: the others name what they fetch or forward. */
export function showsRules({ family, rules }: OutlineStage): boolean {
  return family === 'shape' && rules.length > 0;
}

export function heightOfStage(stage: OutlineStage): number {
  return showsRules(stage) ? rulesHeadHeight + stage.rules.length * ruleHeight + 6 : stageHeight;
}

/** The widths of the four lanes of an open flow. */
export function laneWidthsOf({ stages }: OutlineFlow): readonly number[] {
  const used = new Set(stages.map(({ family }) => family));
  return Object.entries(laneWidths).map(([family, width]) =>
    used.has(family as StageFamily) ? width : emptyLaneWidth,
  );
}

export function cardWidthOf(flow: OutlineFlow): number {
  return laneWidthsOf(flow).reduce((sum, width) => sum + width, 0);
}

export function cardHeight({ stages }: OutlineFlow): number {
  const lanes = Map.groupBy(stages, ({ family }) => family);
  const heights = [...lanes.values()].map((lane) =>
    lane.reduce((sum, stage) => sum + heightOfStage(stage) + laneGap, laneGap),
  );
  return edgeOfCard + headHeight + laneHeadHeight + Math.max(lowestLane, ...heights) + laneGap;
}
