import type { OutlineFlow, OutlineRule } from '@svc/protocol/language';
import type { Drawn } from './drawn.ts';
import { families, stagesByFamily } from './families.ts';
import type { OutlinePlace } from './places.ts';
import {
  headHeight,
  heightOfStage,
  laneGap,
  laneHeadHeight,
  laneWidthsOf,
  ruleHeight,
  rulesHeadHeight,
  showsRules,
} from './sizes.ts';

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The smallest box that holds all of these. */
export function boxAround(boxes: readonly Box[]): Box {
  const x = Math.min(...boxes.map((box) => box.x));
  const y = Math.min(...boxes.map((box) => box.y));
  const right = Math.max(...boxes.map((box) => box.x + box.width));
  const bottom = Math.max(...boxes.map((box) => box.y + box.height));
  return { x, y, width: right - x, height: bottom - y };
}

const lanePadding = 8;

/** The boxes of the stages of an open flow by their ids, from the corner of its card. */
export function stageBoxesOf(flow: OutlineFlow): ReadonlyMap<string, Box> {
  const boxes = new Map<string, Box>();
  const widths = laneWidthsOf(flow);
  const stages = stagesByFamily(flow);
  let x = 0;
  families.forEach((family, at) => {
    const width = widths[at]!;
    let y = headHeight + laneHeadHeight + laneGap;
    for (const stage of stages.get(family) ?? []) {
      const height = heightOfStage(stage);
      boxes.set(stage.id, { x: x + lanePadding, y, width: width - 2 * lanePadding, height });
      y += height + laneGap;
    }
    x += width;
  });
  return boxes;
}

/** The line of a rule inside of the box of its stage. */
function ruleBox(box: Box, rules: readonly OutlineRule[], index: number): Box {
  const at = rules.findIndex((rule) => rule.index === index);
  return { ...box, y: box.y + rulesHeadHeight + at * ruleHeight, height: ruleHeight };
}

/** The box of what is drawn of a place: of a rule or a stage while its flow is open. */
export function boxOf({ graph, points }: Drawn, { flow, stage, rule, connector }: OutlinePlace): Box | undefined {
  const wanted = flow?.id ?? connector?.id;
  const node = graph.nodes.find((each) => (each.kind === 'flow' ? each.id : each.connector.id) === wanted);
  const point = node && points.get(node.id);
  if (node === undefined || point === undefined) return undefined;
  const whole = { ...point, width: node.width, height: node.height };
  if (node.kind !== 'flow' || !node.isOpen || stage === undefined) return whole;
  const own = stageBoxesOf(node.flow).get(stage.id);
  if (own === undefined) return whole;
  const box = rule && showsRules(stage) ? ruleBox(own, stage.rules, rule.index) : own;
  return { ...box, x: box.x + point.x, y: box.y + point.y };
}
