import type { LayoutBox } from './layout-box.ts';
import type { LayoutAnswer, LayoutRequest } from './layout-graph.ts';
import { spread } from './spread.ts';

// Pixels.
const gap = { x: 24, y: 16 };
const betweenGroups = 40;
const besideGroups = 160;
/** Wide enough for their names, which are drawn in sizes of the screen from afar. */
const betweenConnectors = 64;
/** The frame around the flows of a group; canvas/groups/frames.ts draws it in the same size. */
export const frameEdge = { top: 44, side: 16 } as const;
/** How much wider than high a picture is: about what a window leaves of itself. */
const aspect = 1;

interface Block {
  readonly members: readonly LayoutBox[];
  readonly height: number;
  top: number;
}

/**
 * Places flows in the blocks of their groups, one block below the other, and connectors beside the blocks that they are
 * joined to. All blocks have the same number of columns, the smallest that makes the picture as wide as a window. The
 * work grows with the number of boxes and lines alone.
 */
export function layoutGroups({ id, nodes, edges, groups = [] }: LayoutRequest): LayoutAnswer {
  const points = new Map<string, { readonly x: number; readonly y: number }>();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const flows = nodes.filter(({ column }) => column === 1);
  const width = Math.max(0, ...flows.map((node) => node.width));
  const height = Math.max(0, ...flows.map((node) => node.height));
  const lists = groups.map((members) => members.flatMap((member) => byId.get(member) ?? []));
  const columns = columnsFor(lists, width + gap.x, height + gap.y);
  const blocks = lists.map((members): Block => {
    const rows = Math.ceil(members.length / columns);
    return { members, height: frameEdge.top + rows * (height + gap.y) - gap.y + frameEdge.side, top: 0 };
  });
  const middle = new Map<string, number>();
  let top = 0;
  for (const block of blocks) {
    block.top = top;
    block.members.forEach((member, at) => {
      const x = frameEdge.side + (at % columns) * (width + gap.x);
      const y = top + frameEdge.top + Math.floor(at / columns) * (height + gap.y);
      points.set(member.id, { x, y });
      middle.set(member.id, block.top + block.height / 2);
    });
    top += block.height + betweenGroups;
  }
  const most = Math.min(columns, Math.max(1, ...lists.map(({ length }) => length)));
  const right = 2 * frameEdge.side + most * (width + gap.x) - gap.x;
  const ends = Map.groupBy(
    edges.flatMap(({ source, target }) => [
      { of: source, at: middle.get(target) },
      { of: target, at: middle.get(source) },
    ]),
    ({ of }) => of,
  );
  for (const column of [0, 2] as const) {
    const own = nodes.filter((node) => node.column === column);
    const wanted = own.map((node) => {
      const joined = (ends.get(node.id) ?? []).flatMap(({ at }) => at ?? []);
      const mean = joined.length === 0 ? top : joined.reduce((sum, each) => sum + each, 0) / joined.length;
      return { node, top: mean - node.height / 2 };
    });
    const inOrder = wanted.toSorted((a, b) => a.top - b.top);
    for (const { node, top: y } of spread(inOrder, betweenConnectors)) {
      const x = column === 0 ? -besideGroups - node.width : right + besideGroups;
      points.set(node.id, { x: Math.round(x), y: Math.round(y) });
    }
  }
  return { id, points };
}

function columnsFor(lists: readonly (readonly unknown[])[], width: number, height: number): number {
  const most = Math.max(1, ...lists.map(({ length }) => length));
  const fixed = lists.length * (frameEdge.top + frameEdge.side + betweenGroups);
  for (let columns = 1; columns < most; columns++) {
    const rows = lists.reduce((sum, { length }) => sum + Math.ceil(length / columns), 0);
    if (columns * width + 2 * besideGroups >= aspect * (fixed + rows * height)) return columns;
  }
  return most;
}
