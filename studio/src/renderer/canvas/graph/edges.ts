import type { Outline, OutlineFlow } from '@svc/protocol/language';
import { stageBoxesOf } from './boxes.ts';
import type { FlowPort, GraphEdge } from './drawn.ts';
import { cardHeight, cardWidthOf, closedHeight, pillWidth } from './sizes.ts';

/** How many lines fit side by side between two columns. */
const tracks = 6;

export function edgesOf({ edges, connectors }: Outline, open: ReadonlySet<string>): readonly GraphEdge[] {
  const declared = new Map(connectors.map((connector) => [connector.id, connector.declared]));
  const usedOn = (side: GraphEdge['direction']) => {
    const used = new Set(edges.flatMap(({ direction, connector }) => (direction === side ? connector : [])));
    return connectors.map(({ id }) => id).filter((id) => used.has(id));
  };
  const order = { in: usedOn('in'), out: usedOn('out') };
  const joined = Map.groupBy(edges, ({ flow, connector, direction, stage, id }) => {
    if (direction === 'in') return `${connector} > ${flow}`;
    return open.has(flow) ? `${stage ?? id} > ${connector}` : `${flow} > ${connector}`;
  });
  return [...joined].map(([id, [first, ...others]]) => {
    const { flow, connector, direction } = first!;
    return {
      id,
      source: direction === 'in' ? `source ${connector}` : flow,
      target: direction === 'in' ? flow : `target ${connector}`,
      direction,
      flow,
      connector,
      stages: [first!, ...others].flatMap(({ stage }) => stage ?? []),
      isGhost: declared.get(connector) !== true,
      track: Math.max(0, order[direction].indexOf(connector)) % tracks,
    };
  });
}

/** Between ports, so that lines and marks can be distinguished. */
const leastBetween = 14;
const edgeOfCard = 16;

/** Where edges leave a flow: in the middle, or each beside its stage while the flow is open. */
export function portsOf(flow: OutlineFlow, isOpen: boolean, edges: readonly GraphEdge[]): readonly FlowPort[] {
  const boxes = stageBoxesOf(flow);
  const middle = { top: closedHeight / 2, left: pillWidth / 2 };
  const [lowest, rightmost] = [cardHeight(flow) - edgeOfCard, cardWidthOf(flow) - edgeOfCard];
  const ports = edges.map(({ id, connector, stages: own }): FlowPort => {
    const box = isOpen ? boxes.get(own[0] ?? '') : undefined;
    const beside = box && { top: box.y + Math.min(box.height, closedHeight) / 2, left: box.x + box.width / 2 };
    return { id, connector, stages: own, ...(beside ?? (isOpen ? { top: lowest, left: rightmost } : middle)) };
  });
  if (!isOpen) return ports;
  const lefts = new Map(apart(ports, ({ left }) => left, rightmost).map(({ port, at }) => [port.id, at]));
  return apart(ports, ({ top }) => top, lowest).map(({ port, at }) => ({
    ...port,
    top: at,
    left: lefts.get(port.id)!,
  }));
}

/** Places along one side, each as near to where it is wanted as the others and the end of the side (`last`) allow. */
function apart(ports: readonly FlowPort[], wanted: (port: FlowPort) => number, last: number) {
  const sorted = ports.toSorted((a, b) => wanted(a) - wanted(b));
  const between = Math.min(leastBetween, (last - edgeOfCard) / Math.max(1, sorted.length - 1));
  const places: number[] = [];
  for (const port of sorted) places.push(Math.max(wanted(port), (places.at(-1) ?? 0) + between));
  // What would be behind the end moves back.
  for (let at = places.length - 1, most = last; at >= 0; at--) {
    places[at] = Math.min(places[at]!, most);
    most = places[at]! - between;
  }
  return sorted.map((port, at) => ({ port, at: Math.round(places[at]!) }));
}
