import type { Canvas } from '../canvas.ts';
import type { GraphNode } from '../graph/drawn.ts';
import { count } from '../words.ts';
import { framesOf, type GroupFrame } from './frames.ts';

/** A group, or a connector at one side of them, as it is drawn from afar. */
interface Far {
  /** Of the group or the connector, as it is selected. */
  readonly id: string;
  readonly column: 0 | 1 | 2;
  readonly y: number;
}

/** The id of what a key leads to while groups are drawn in place of their flows; undefined when it leads nowhere. */
export function moveAmongGroups(canvas: Pick<Canvas, 'drawn' | 'selected'>, key: string, isShift: boolean) {
  const all = farOf(canvas.drawn.value.graph.nodes, canvas);
  const at = all.find(({ id }) => id === selectedOf(canvas));
  const order = all.toSorted((a, b) => a.column - b.column || a.y - b.y);
  if (key === 'Tab') return at === undefined ? order[isShift ? order.length - 1 : 0]?.id : step(order, at, isShift);
  if (!key.startsWith('Arrow')) return undefined;
  if (at === undefined) return (order.find(({ column }) => column === 1) ?? order[0])?.id;
  if (key === 'ArrowDown' || key === 'ArrowUp')
    return step(
      order.filter(({ column }) => column === at.column),
      at,
      key === 'ArrowUp',
    );
  const beside = order.filter(({ column }) => column === at.column + (key === 'ArrowRight' ? 1 : -1));
  return beside.toSorted((a, b) => Math.abs(a.y - at.y) - Math.abs(b.y - at.y))[0]?.id;
}

/** The group that is selected, or the one that a selected flow is in; else the id of what is. */
function selectedOf({ drawn, selected }: Pick<Canvas, 'drawn' | 'selected'>): string | undefined {
  const [flow] = selected.value?.split('/') ?? [];
  const group = drawn.value.groups?.find(({ flows }) => flow !== undefined && flows.includes(flow));
  return group?.id ?? selected.value;
}

function farOf(nodes: readonly GraphNode[], { drawn }: Pick<Canvas, 'drawn'>): readonly Far[] {
  const groups = framesOf(drawn.value).map(
    ({ group, y, height }): Far => ({ id: group.id, column: 1, y: y + height / 2 }),
  );
  const connectors = nodes.flatMap((node): Far[] => {
    if (node.kind === 'flow') return [];
    const y = (drawn.value.points.get(node.id)?.y ?? 0) + node.height / 2;
    return [{ id: node.connector.id, column: node.side === 'source' ? 0 : 2, y }];
  });
  return [...groups, ...connectors];
}

function step(order: readonly Far[], at: Far, isBack: boolean): string | undefined {
  return order[order.indexOf(at) + (isBack ? -1 : 1)]?.id;
}

/** A group in words, for those who listen. */
export function spokenGroup({ group, flows, problems: { errors, warnings } }: GroupFrame): string {
  const parts = [
    count(flows.length, 'flow'),
    errors > 0 && count(errors, 'error'),
    warnings > 0 && count(warnings, 'warning'),
  ];
  return `group ${group.name}, ${parts.filter(Boolean).join(', ')}, Enter goes in`;
}
