/** The groups of names each of which leads to all others of its group; in order, as are the names of each. */
export function circlesOf(edges: ReadonlyMap<string, Iterable<string>>): readonly (readonly string[])[] {
  const found: string[][] = [];
  const reached = new Map<string, number>();
  const open: string[] = [];
  /** The number of the earliest open name that a name leads to (Tarjan's algorithm). */
  const visit = (name: string): number => {
    const own = reached.size;
    let earliest = own;
    reached.set(name, own);
    open.push(name);
    for (const next of edges.get(name) ?? [])
      if (!reached.has(next)) earliest = Math.min(earliest, visit(next));
      else if (open.includes(next)) earliest = Math.min(earliest, reached.get(next)!);
    if (earliest === own) {
      const group = open.splice(open.indexOf(name));
      if (group.length > 1) found.push(group.sort());
    }
    return earliest;
  };
  for (const name of edges.keys()) if (!reached.has(name)) visit(name);
  return found.sort(([one], [other]) => (one! < other! ? -1 : 1));
}
