import type { Outline, OutlineConnector, OutlineFlow } from './outline.ts';
import type { OutlineRule, OutlineStage } from './outline-stages.ts';

/** How a connector or a flow differs from an earlier state of the project. */
export type Difference = 'added' | 'changed' | 'removed';

/** An outline with what there was earlier beside what there is. */
export interface Comparison {
  /** What there is, and behind it what is gone with what joined it. */
  readonly outline: Outline;
  /** By the ids of connectors and flows; what is equal is absent. */
  readonly differences: Readonly<Record<string, Difference>>;
}

/** An outline with the texts that its places are in. */
export interface Described {
  readonly outline: Outline;
  readonly text: (path: string) => string | undefined;
}

/** Compares two states of a project by the names of connectors and flows; where a block is written does not matter. */
export function compareOutlines(before: Described, now: Described): Comparison {
  const declared = ({ connectors }: Outline) => connectors.filter((each) => each.declared);
  const connectors = compareNodes(before, now, declared);
  const flows = compareNodes(before, now, (outline) => outline.flows);
  const { outline } = now;
  const isGone = new Set([...connectors.gone, ...flows.gone].map(({ id }) => id));
  const edges = before.outline.edges.filter(({ flow }) => isGone.has(flow));
  // A name that flows still use is drawn already, as one that is not declared.
  const drawn = new Set(outline.connectors.map(({ id }) => id));
  const used = new Set(edges.map(({ connector }) => connector));
  const added = before.outline.connectors.filter(({ id }) => !drawn.has(id) && (isGone.has(id) || used.has(id)));
  return {
    outline: {
      ...outline,
      connectors: [...outline.connectors, ...added],
      flows: [...outline.flows, ...flows.gone],
      edges: [...outline.edges, ...edges],
    },
    differences: { ...connectors.differences, ...flows.differences },
  };
}

/** What differs, and what is gone. */
function compareNodes<T extends OutlineConnector | OutlineFlow>(
  before: Described,
  now: Described,
  nodesOf: (outline: Outline) => readonly T[],
) {
  const differences: Record<string, Difference> = {};
  const earlier = new Map(nodesOf(before.outline).map((node) => [node.id, node]));
  for (const node of nodesOf(now.outline)) {
    const old = earlier.get(node.id);
    if (old === undefined) differences[node.id] = 'added';
    else if (sourceOf(old, before) !== sourceOf(node, now)) differences[node.id] = 'changed';
    earlier.delete(node.id);
  }
  for (const id of earlier.keys()) differences[id] = 'removed';
  return { differences, gone: [...earlier.values()] };
}

/** Everything that is written of a node: its block, and what its stages use of other places. */
function sourceOf(node: OutlineConnector | OutlineFlow, { text }: Described): string {
  const slice = (file: string, start: number, end: number) =>
    (text(file) ?? '').slice(start, end).replaceAll('\r\n', '\n');
  const { file, range } = node;
  const isElsewhere = (part: OutlineStage | OutlineRule) =>
    part.file !== file || part.range.start < range.start || part.range.end > range.end;
  const all = [slice(file, range.start, range.end)];
  for (const stage of 'stages' in node ? node.stages : []) {
    if (isElsewhere(stage)) all.push(slice(stage.file, stage.range.start, stage.range.end));
    for (const rule of stage.rules) if (isElsewhere(rule)) all.push(`${rule.target} = ${rule.expression}`);
  }
  return all.join('\n');
}
