import type { Difference, Outline, OutlineConnector, OutlineFlow } from '@svc/protocol/language';
import type { Diagnostic } from '@svc/protocol/text';
import type { ConnectorNode, FlowNode, Graph, GraphNode, ProblemCount } from './drawn.ts';
import { edgesOf, portsOf } from './edges.ts';
import { kindsOfStages } from './places.ts';
import { cardHeight, cardWidthOf, closedHeight, connectorWidth, pillWidth } from './sizes.ts';

export const nothing: Graph = { nodes: [], edges: [] };

/** What is drawn of an outline. `open` holds the ids of flows that show their stages. */
export function graphOf(outline: Outline, open: ReadonlySet<string>, diagnostics: readonly Diagnostic[]): Graph {
  const edges = edgesOf(outline, open);
  const kinds = kindsOfStages(outline);
  const problemsOf = problemCounter(diagnostics);
  const sources = new Set(edges.filter(({ direction }) => direction === 'in').map(({ connector }) => connector));
  const targets = new Set(edges.filter(({ direction }) => direction === 'out').map(({ connector }) => connector));
  const byFlow = Map.groupBy(edges, ({ flow }) => flow);
  const connectorNode = (connector: OutlineConnector, side: ConnectorNode['side']): ConnectorNode => {
    const isRepeated = side === 'target' && sources.has(connector.id);
    return {
      kind: 'connector',
      id: `${side} ${connector.id}`,
      width: connectorWidth,
      height: closedHeight,
      problems: problemsOf(connector),
      connector,
      side,
      isRepeated,
      detail: connector.declared ? (isRepeated ? 'also a source' : connector.detail) : 'not declared anywhere',
    };
  };
  const flowNode = (flow: OutlineFlow): FlowNode => {
    const isOpen = open.has(flow.id);
    const height = isOpen ? cardHeight(flow) : closedHeight;
    const out = (byFlow.get(flow.id) ?? []).filter(({ direction }) => direction === 'out');
    return {
      kind: 'flow',
      id: flow.id,
      width: isOpen ? cardWidthOf(flow) : pillWidth,
      height,
      problems: problemsOf(flow),
      flow,
      detail: flow.source?.operation ?? triggerOf(outline, flow) ?? '',
      aspects: outline.aspects.filter(({ flows }) => flows.includes(flow.name)),
      isOpen,
      kinds: isOpen ? Object.fromEntries(flow.stages.map(({ id }) => [id, kinds.get(id)])) : {},
      ports: portsOf(flow, isOpen, out),
    };
  };
  return {
    nodes: [
      ...outline.connectors
        .filter(({ id }) => sources.has(id) || !targets.has(id))
        .map((connector) => connectorNode(connector, 'source')),
      ...outline.flows.map(flowNode),
      ...outline.connectors.filter(({ id }) => targets.has(id)).map((connector) => connectorNode(connector, 'target')),
    ],
    edges,
  };
}

/** What runs a flow that takes no messages, `on_password_reset of auth`; undefined where nothing does. */
export function triggerOf({ edges }: Outline, { id }: OutlineFlow): string | undefined {
  const names = edges.flatMap(({ direction, flow, connector, word, name }) =>
    flow === id && direction === 'in' && connector === word ? `${name} of ${word}` : [],
  );
  return names.length === 0 ? undefined : [...new Set(names)].join(', ');
}

const noProblems: ProblemCount = { errors: 0, warnings: 0 };

/** Counts the problems inside of ranges. */
export function problemCounter(diagnostics: readonly Diagnostic[]) {
  const byFile = Map.groupBy(diagnostics, ({ file }) => file);
  return ({ file, range }: { readonly file: string; readonly range: { start: number; end: number } }): ProblemCount => {
    const inside = byFile.get(file)?.filter((one) => one.range.start >= range.start && one.range.end <= range.end);
    if (inside === undefined || inside.length === 0) return noProblems;
    const count = (severity: string) => inside.filter((one) => one.severity === severity).length;
    return { errors: count('error'), warnings: count('warning') };
  };
}

/** Flows and connectors that differ, marked, and what they are joined to. */
export function changedOnly({ nodes, edges }: Graph, differences: Readonly<Record<string, Difference>>): Graph {
  const differenceOf = (node: GraphNode) => differences[node.kind === 'flow' ? node.id : node.connector.id];
  const changed = new Set(nodes.filter((node) => differenceOf(node) !== undefined).map(({ id }) => id));
  const flows = new Set(nodes.flatMap(({ id, kind }) => (kind === 'flow' && changed.has(id) ? id : [])));
  const kept = edges.filter(({ flow }) => flows.has(flow));
  const shown = new Set([...changed, ...kept.flatMap(({ source, target }) => [source, target])]);
  return {
    nodes: nodes.filter(({ id }) => shown.has(id)).map((node) => ({ ...node, difference: differenceOf(node) })),
    edges: kept,
  };
}

/** Flows with something wrong in them or in a connector they use, and those connectors. */
export function failingOnly({ nodes, edges }: Graph): Graph {
  const isBad = ({ problems, ...node }: GraphNode) =>
    problems.errors + problems.warnings > 0 || (node.kind === 'connector' && !node.connector.declared);
  const bad = new Set(nodes.filter(isBad).map(({ id }) => id));
  const kept = edges.filter(({ source, target }) => bad.has(source) || bad.has(target));
  const shown = new Set([...bad, ...kept.flatMap(({ source, target }) => [source, target])]);
  return { nodes: nodes.filter(({ id }) => shown.has(id)), edges: kept };
}

/** The same nodes and edges where they did not change, so that views of them need not be drawn again. */
export function sameWhereEqual(before: Graph, after: Graph): Graph {
  return { nodes: kept(before.nodes, after.nodes), edges: kept(before.edges, after.edges) };
}

function kept<T extends { readonly id: string }>(before: readonly T[], after: readonly T[]): readonly T[] {
  const known = new Map(before.map((one) => [one.id, one]));
  const all = after.map((one) => {
    const old = known.get(one.id);
    return old !== undefined && JSON.stringify(old) === JSON.stringify(one) ? old : one;
  });
  return all.length === before.length && all.every((one, at) => one === before[at]) ? before : all;
}
