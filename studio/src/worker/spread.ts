import type { LayoutBox } from './layout-box.ts';

/** A box, and where its upper edge should be. */
export interface Wanted {
  readonly node: LayoutBox;
  readonly top: number;
}

/** Boxes of one column, as near to where they are wanted as they can be with so much between them, in the order given. */
export function spread(wanted: readonly Wanted[], between: number): readonly Wanted[] {
  // Boxes that touch are moved together, so that their mean is where it was wanted (pool adjacent violators).
  const pools: { members: Wanted[]; top: number; height: number }[] = [];
  for (const each of wanted) {
    pools.push({ members: [each], top: each.top, height: each.node.height + between });
    for (let last = pools.length - 1; last > 0; last--) {
      const [above, below] = [pools[last - 1]!, pools[last]!];
      if (above.top + above.height <= below.top) break;
      const [a, b] = [above.members.length, below.members.length];
      above.top = (above.top * a + (below.top - above.height) * b) / (a + b);
      above.height += below.height;
      above.members.push(...below.members);
      pools.pop();
    }
  }
  return pools.flatMap(({ members, top }) => {
    let at = top;
    return members.map(({ node }) => {
      const placed = { node, top: at };
      at += node.height + between;
      return placed;
    });
  });
}
