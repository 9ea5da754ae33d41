import type { LayoutBox } from './layout-box.ts';
import { spread, type Wanted } from './spread.ts';

/** What is laid out: boxes in pixels, and what leads from one to another. */
export interface LayoutRequest {
  readonly id: number;
  readonly nodes: readonly LayoutBox[];
  readonly edges: readonly { readonly source: string; readonly target: string }[];
  /** The ids of the flows of each group, from above; undefined while flows are not grouped. */
  readonly groups?: readonly (readonly string[])[] | undefined;
}

export interface LayoutAnswer {
  readonly id: number;
  /** The upper left corner of each box. */
  readonly points: ReadonlyMap<string, { readonly x: number; readonly y: number }>;
}

// Pixels between boxes.
const gap = { x: 64, y: 36 } as const;
const columns = [0, 1, 2] as const;

/**
 * Places boxes in three columns that read from above as the text is written: flows one below the other, and connectors
 * as near to the middle of their flows as their order lets them be. The work grows with the number of boxes and lines
 * alone.
 */
export function layoutGraph({ id, nodes, edges }: LayoutRequest): LayoutAnswer {
  const tops = new Map<string, number>();
  const ofColumn = Map.groupBy(nodes, ({ column }) => column);
  let end = 0;
  for (const flow of ofColumn.get(1) ?? []) {
    tops.set(flow.id, end);
    end += flow.height + gap.y;
  }
  const joined = Map.groupBy(
    edges.flatMap(({ source, target }) => [
      { of: source, top: tops.get(target) },
      { of: target, top: tops.get(source) },
    ]),
    ({ of }) => of,
  );
  for (const column of [0, 2] as const) {
    let last = -gap.y;
    const wanted = (ofColumn.get(column) ?? []).map((node): Wanted => {
      const ends = (joined.get(node.id) ?? []).flatMap(({ top }) => top ?? []);
      // What leads nowhere stays beside the one before it.
      const top = ends.length === 0 ? last + gap.y : ends.reduce((sum, each) => sum + each, 0) / ends.length;
      last = top + node.height;
      return { node, top };
    });
    for (const { node, top } of spread(wanted, gap.y)) tops.set(node.id, top);
  }
  const first = Math.min(...tops.values());
  const points = new Map<string, { readonly x: number; readonly y: number }>();
  let x = 0;
  for (const column of columns) {
    const own = ofColumn.get(column) ?? [];
    for (const node of own) points.set(node.id, { x, y: Math.round((tops.get(node.id) ?? 0) - first) });
    if (own.length > 0) x += Math.max(...own.map(({ width }) => width)) + gap.x;
  }
  return { id, points };
}
