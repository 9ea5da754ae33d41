import type { LayoutAnswer, LayoutBox } from './layout-graph.ts';

/**
 * The same places, taken in the order of the nodes: from above, each column reads as the text is written. Closed flows
 * and connectors have one height, so that one fits where another was.
 */
export function inWrittenOrder(nodes: readonly LayoutBox[], points: LayoutAnswer['points']): LayoutAnswer['points'] {
  const ordered = new Map(points);
  for (const column of Map.groupBy(nodes, (node) => node.column).values()) {
    const places = column.flatMap(({ id }) => points.get(id) ?? []).sort((a, b) => a.y - b.y);
    column.forEach(({ id }, at) => {
      const place = places[at];
      if (place !== undefined) ordered.set(id, place);
    });
  }
  return ordered;
}
