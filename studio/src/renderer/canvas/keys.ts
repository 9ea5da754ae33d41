import type { OutlineFlow } from '@svc/protocol/language';
import type { Canvas } from './canvas.ts';
import type { GraphNode } from './graph/drawn.ts';
import { families, stagesByFamily } from './graph/families.ts';
import { type OutlinePlace, ruleId, titleOfStage } from './graph/places.ts';
import { showsRules } from './graph/sizes.ts';
import { count } from './words.ts';

type Shown = Pick<Canvas, 'place' | 'drawn' | 'open'>;

/** The id of what a key leads to from what is selected; undefined when it leads nowhere. */
export function moveOnCanvas(canvas: Shown, key: string, isShift: boolean): string | undefined {
  const { place } = canvas;
  if (key === 'Tab') return step(order(canvas), place?.id, isShift ? -1 : 1);
  if (!key.startsWith('Arrow')) return undefined;
  if (place === undefined) return order(canvas)[0];
  if (place.flow && place.stage) return moveInLanes(place.flow, place, key);
  const vertical = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
  if (vertical !== 0) return step(column(canvas, place.id), place.id, vertical);
  return alongEdges(canvas, place.id, key === 'ArrowRight' ? 'out' : 'in');
}

function outlineId(node: GraphNode): string {
  return node.kind === 'flow' ? node.id : node.connector.id;
}

/** Everything that is drawn, column by column and from above; stages of open flows after their flow. */
function order({ drawn, open }: Shown): readonly string[] {
  const { graph, points } = drawn.value;
  const at = (node: GraphNode) => points.get(node.id) ?? { x: 0, y: 0 };
  const sorted = graph.nodes.toSorted((a, b) => at(a).x - at(b).x || at(a).y - at(b).y);
  const ids = sorted.flatMap((node) =>
    node.kind === 'flow' && open.value.has(node.id) ? [node.id, ...inFlow(node.flow)] : [outlineId(node)],
  );
  return [...new Set(ids)];
}

function inFlow(flow: OutlineFlow): readonly string[] {
  const stages = stagesByFamily(flow);
  return families.flatMap((family) => inLane(stages.get(family) ?? []));
}

function inLane(stages: OutlineFlow['stages']): readonly string[] {
  return stages.flatMap((stage) => [
    stage.id,
    ...(showsRules(stage) ? stage.rules.map((rule) => ruleId(stage, rule)) : []),
  ]);
}

/** Nodes of the same kind from above. */
function column({ drawn }: Shown, id: string): readonly string[] {
  const { graph, points } = drawn.value;
  const own = graph.nodes.find((node) => outlineId(node) === id);
  const isLike = (node: GraphNode) =>
    node.kind === own?.kind && (node.kind === 'flow' || own.kind === 'flow' || node.side === own.side);
  const top = (node: GraphNode) => points.get(node.id)?.y ?? 0;
  return graph.nodes
    .filter(isLike)
    .toSorted((a, b) => top(a) - top(b))
    .map(outlineId);
}

/** The uppermost node at the other end of an edge that leaves or comes in. */
function alongEdges({ drawn }: Shown, id: string, direction: 'in' | 'out'): string | undefined {
  const { graph, points } = drawn.value;
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  const ends = graph.edges.flatMap(({ source, target }) => {
    const [here, there] = direction === 'out' ? [source, target] : [target, source];
    const own = byId.get(here);
    const other = byId.get(there);
    return own && other && outlineId(own) === id ? [other] : [];
  });
  const [first] = ends.toSorted((a, b) => (points.get(a.id)?.y ?? 0) - (points.get(b.id)?.y ?? 0));
  return first && outlineId(first);
}

/** Up and down in a lane, left and right to the next lane that has stages; left of the first is the flow. */
function moveInLanes(flow: OutlineFlow, { id, stage }: OutlinePlace, key: string): string | undefined {
  const stages = stagesByFamily(flow);
  const lanes = families.map((family) => inLane(stages.get(family) ?? [])).filter((lane) => lane.length > 0);
  const at = lanes.findIndex((lane) => lane.includes(stage!.id));
  if (key === 'ArrowDown' || key === 'ArrowUp') {
    const shown = lanes[at]?.includes(id) === true ? id : stage!.id;
    const next = step(lanes[at] ?? [], shown, key === 'ArrowDown' ? 1 : -1);
    return next ?? (key === 'ArrowUp' ? flow.id : undefined);
  }
  if (key === 'ArrowLeft') return at === 0 ? flow.id : lanes[at - 1]?.[0];
  return lanes[at + 1]?.[0];
}

function step(ids: readonly string[], id: string | undefined, by: 1 | -1): string | undefined {
  const at = id === undefined ? -1 : ids.indexOf(id);
  return at < 0 ? ids[by > 0 ? 0 : ids.length - 1] : ids[at + by];
}

/** A place in words, for those who listen. */
export function spokenPlace({ connector, flow, stage, rule, aspect }: OutlinePlace, open: ReadonlySet<string>): string {
  if (connector) {
    const { word, name, declared, detail } = connector;
    return `${word === name ? `${name} block` : `${word} ${name}`}, ${declared ? detail : 'not declared'}`;
  }
  if (aspect) return `aspect ${aspect.name}, ${aspect.detail}, acts on ${count(aspect.flows.length, 'flow')}`;
  if (flow === undefined) return '';
  if (rule && stage) return `rule ${rule.target}, ${titleOfStage(stage)}`;
  if (stage) return `${stage.family} ${titleOfStage(stage)}, ${stage.rules.length} rules`;
  return `flow ${flow.name}, ${flow.source?.operation ?? 'no source'}, ${open.has(flow.id) ? 'open' : 'closed'}`;
}
