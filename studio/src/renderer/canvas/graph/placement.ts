import type { Graph, GraphNode, Point, Points } from './drawn.ts';
import { closedHeight, pillWidth } from './sizes.ts';

const gap = { x: 64, y: 36 };

/**
 * Where nodes are placed. What has a place keeps it whatever else changes: new nodes are put beside what they are
 * joined to, one that got another name stays where it was, and what an open flow pushes away comes back when it is
 * closed.
 */
export class Placement {
  readonly #points = new Map<string, Point>();
  /** What open flows pushed away, in the order in which they did. */
  #pushes: { readonly id: string; readonly moved: ReadonlyMap<string, Point> }[] = [];

  get points(): Points {
    return this.#points;
  }

  /** Whether nodes have no place yet; those that got another name have. */
  misses(nodes: readonly GraphNode[]): boolean {
    this.#renamed(nodes);
    return nodes.some(({ id }) => !this.#points.has(id));
  }

  /** Takes places for all nodes; what the person had moved is moved back. */
  tidy(points: Points): void {
    this.#points.clear();
    this.#pushes = [];
    for (const [id, point] of points) this.#points.set(id, point);
  }

  /** Gives places to nodes that have no place: as far from their neighbours as in `points`, which knows all nodes. */
  add({ nodes, edges }: Graph, points: Points): void {
    const pushes = this.#withdraw();
    const isFirst = nodes.every(({ id }) => !this.#points.has(id));
    for (const { id, height } of nodes) {
      const wanted = points.get(id);
      if (this.#points.has(id) || wanted === undefined) continue;
      const joined = edges.flatMap(({ source, target }) => (source === id ? [target] : target === id ? [source] : []));
      const related = nodes.map((node) => node.id).filter((other) => wordOf(other) === wordOf(id));
      const near = [...joined, ...related].find((other) => this.#points.has(other) && points.has(other));
      const place = isFirst ? wanted : this.#free(id, this.#beside(wanted, near, points), height, nodes);
      this.#points.set(id, place);
    }
    this.open(nodes, pushes);
  }

  move(id: string, point: Point): void {
    this.#points.set(id, point);
  }

  /** Makes room for the flows that are open now, and takes it back from those that are not any more. */
  open(nodes: readonly GraphNode[], order = this.#withdraw()): void {
    const open = nodes.filter((node) => node.kind === 'flow' && node.isOpen && this.#points.has(node.id));
    const known = open.filter(({ id }) => order.includes(id)).sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
    for (const node of [...known, ...open.filter(({ id }) => !order.includes(id))]) this.#push(node, nodes);
  }

  #beside(wanted: Point, near: string | undefined, points: Points): Point {
    const kept = near === undefined ? undefined : this.#points.get(near);
    const then = near === undefined ? undefined : points.get(near);
    return kept && then ? { x: kept.x + wanted.x - then.x, y: kept.y + wanted.y - then.y } : wanted;
  }

  /** The first free place downwards. */
  #free(id: string, wanted: Point, height: number, nodes: readonly GraphNode[]): Point {
    const others = nodes.flatMap((node) => {
      const point = node.id === id ? undefined : this.#points.get(node.id);
      return point && Math.abs(point.x - wanted.x) < pillWidth
        ? [{ top: point.y, bottom: point.y + closedHeight }]
        : [];
    });
    let { y } = wanted;
    for (const { top, bottom } of others.sort((a, b) => a.top - b.top))
      if (y < bottom + gap.y / 2 && y + height + gap.y / 2 > top) y = bottom + gap.y;
    return { x: wanted.x, y };
  }

  #push({ id, width, height }: GraphNode, nodes: readonly GraphNode[]): void {
    const own = this.#points.get(id)!;
    const others = nodes.filter((node) => node.id !== id && this.#points.has(node.id));
    const at = (node: GraphNode) => this.#points.get(node.id)!;
    const right = others.filter((node) => at(node).x >= own.x + pillWidth);
    const below = others.filter((node) => at(node).y >= own.y + closedHeight);
    const nearest = Math.min(...right.map((node) => at(node).x));
    const nearestBelow = Math.min(...below.map((node) => at(node).y));
    const x = Number.isFinite(nearest) ? Math.max(0, own.x + width + gap.x - nearest) : 0;
    const y = Number.isFinite(nearestBelow) ? Math.max(0, own.y + height + gap.y - nearestBelow) : 0;
    const moved = new Map<string, Point>();
    for (const node of others) {
      const by = { x: right.includes(node) ? x : 0, y: below.includes(node) ? y : 0 };
      if (by.x !== 0 || by.y !== 0) moved.set(node.id, by);
    }
    this.#pushes.push({ id, moved });
    this.#shift(moved, 1);
  }

  /** Takes back every push; the ids of who pushed. */
  #withdraw(): readonly string[] {
    const pushes = this.#pushes;
    this.#pushes = [];
    for (const { moved } of pushes.toReversed()) this.#shift(moved, -1);
    return pushes.map(({ id }) => id);
  }

  #shift(moved: ReadonlyMap<string, Point>, sign: 1 | -1): void {
    for (const [id, by] of moved) {
      const point = this.#points.get(id);
      if (point) this.#points.set(id, { x: point.x + sign * by.x, y: point.y + sign * by.y });
    }
  }

  /** Where one node went and one of its kind came, the new one is the old one with another name. */
  #renamed(nodes: readonly GraphNode[]): void {
    const ids = new Set(nodes.map(({ id }) => id));
    const gone = [...this.#points.keys()].filter((id) => !ids.has(id));
    const came = nodes.map(({ id }) => id).filter((id) => !this.#points.has(id));
    for (const id of came) {
      const [old, ...more] = gone.filter((other) => wordOf(other) === wordOf(id));
      const isOnly = came.filter((other) => wordOf(other) === wordOf(id)).length === 1;
      if (old === undefined || more.length > 0 || !isOnly) continue;
      this.#points.set(id, this.#points.get(old)!);
      this.#points.delete(old);
    }
    // A node that is gone for good would be taken for the old one of every later one.
    for (const id of gone) if (came.length === 0) this.#points.delete(id);
  }
}

/** What comes before the name in an id: two nodes with the same are in the same column. */
function wordOf(id: string): string {
  return /^(?:flow|(?:source|target) connector) /.exec(id)?.[0] ?? '';
}
