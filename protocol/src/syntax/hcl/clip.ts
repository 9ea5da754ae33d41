/**
 * A copy of a node without what is at `limit` or behind it: list elements are dropped, ranges end at the limit.
 * Used for an item that read on into the lines of the next one before it was found to be unfinished.
 */
export function clip<Node extends object>(node: Node, limit: number): Node {
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(node)) {
    if (name === 'start' || name === 'end') copy[name] = Math.min(value, limit);
    else if (Array.isArray(value))
      copy[name] = value.filter((child) => child.start < limit).map((child) => clip(child, limit));
    else copy[name] = typeof value === 'object' && value !== null ? clip(value, limit) : value;
  }
  return copy as Node;
}
