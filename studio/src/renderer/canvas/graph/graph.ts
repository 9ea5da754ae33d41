import type { Outline, OutlineConnector, OutlineFlow, OutlineStage, StageFamily } from '@svc/protocol/language';
import type { ConnectorKind } from '@svc/protocol/schema';
import type { Diagnostic } from '@svc/protocol/text';
import { kindsOfStages } from './places.ts';
import { cardHeight, cardWidth, closedHeight, connectorWidth, pillWidth, portTop } from './sizes.ts';

export interface ProblemCount {
  readonly errors: number;
  readonly warnings: number;
}

interface Box {
  /** The same as long as the names are. */
  readonly id: string;
  readonly width: number;
  readonly height: number;
  readonly problems: ProblemCount;
}

/** A connector, once for each side of the flows that it is used on. */
export interface ConnectorNode extends Box {
  readonly kind: 'connector';
  readonly connector: OutlineConnector;
  readonly side: 'source' | 'target';
  /** Drawn at the other side too; this one is the second. */
  readonly isRepeated: boolean;
  readonly detail: string;
}

export interface FlowNode extends Box {
  readonly kind: 'flow';
  readonly flow: OutlineFlow;
  readonly detail: string;
  readonly isOpen: boolean;
  /** Pixels from the top at which edges leave, by the id of what they lead to. */
  readonly ports: Readonly<Record<string, number>>;
  /** The kinds of the connectors that stages name, by the id of the stage; only while it is open. */
  readonly kinds: Readonly<Record<string, ConnectorKind | undefined>>;
}

export type GraphNode = ConnectorNode | FlowNode;

/** One line for everything that a flow does with a connector. */
export interface GraphEdge {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly direction: 'in' | 'out';
  /** Ids of the outline. */
  readonly flow: string;
  readonly connector: string;
  /** Ids of the stages that name the connector. */
  readonly stages: readonly string[];
  readonly isGhost: boolean;
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export const nothing: Graph = { nodes: [], edges: [] };

/** The lanes of an open flow, in the order in which they are drawn. */
export const families: readonly StageFamily[] = ['gate', 'gather', 'shape', 'deliver'];

export const familyTitles: Readonly<Record<StageFamily, string>> = {
  gate: 'Gate',
  gather: 'Gather',
  shape: 'Shape',
  deliver: 'Deliver',
};

export function stagesByFamily({ stages }: OutlineFlow): ReadonlyMap<StageFamily, readonly OutlineStage[]> {
  return new Map(families.map((family) => [family, stages.filter((stage) => stage.family === family)]));
}

/** What is drawn of an outline. `open` holds the ids of flows that show their stages. */
export function graphOf(outline: Outline, open: ReadonlySet<string>, diagnostics: readonly Diagnostic[]): Graph {
  const edges = edgesOf(outline);
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
      width: isOpen ? cardWidth : pillWidth,
      height,
      problems: problemsOf(flow),
      flow,
      detail: flow.source?.operation ?? triggerOf(outline, flow) ?? '',
      isOpen,
      kinds: isOpen ? Object.fromEntries(flow.stages.map(({ id }) => [id, kinds.get(id)])) : {},
      ports: Object.fromEntries(out.map(({ target }, at) => [target, portTop(isOpen, height, at, out.length)])),
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

function edgesOf({ edges, connectors }: Outline): readonly GraphEdge[] {
  const declared = new Map(connectors.map((connector) => [connector.id, connector.declared]));
  const joined = Map.groupBy(edges, ({ flow, connector, direction }) =>
    direction === 'in' ? `${connector} > ${flow}` : `${flow} > ${connector}`,
  );
  return [...joined].map(([id, [first, ...others]]) => {
    const { flow, connector, direction } = first!;
    return {
      id,
      source: direction === 'in' ? `source ${connector}` : flow,
      target: direction === 'in' ? flow : `target ${connector}`,
      direction,
      flow,
      connector,
      stages: [first!, ...others].flatMap(({ stage }) => stage ?? []),
      isGhost: declared.get(connector) !== true,
    };
  });
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
