import type { Difference, OutlineAspect, OutlineConnector, OutlineFlow } from '@svc/protocol/language';
import type { ConnectorKind } from '@svc/protocol/schema';
import type { FlowGroup } from '../groups/grouping.ts';

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export type GraphNode = ConnectorNode | FlowNode;

/** What the canvas shows, and where. */
export interface Drawn {
  readonly graph: Graph;
  readonly points: Points;
  /** How flows are put together, from above; undefined while they are not. */
  readonly groups?: readonly FlowGroup[] | undefined;
  /** The id of the flow that is drawn alone, from above downwards; undefined while everything is drawn. */
  readonly alone?: string | undefined;
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
  /** The aspects that act on it. */
  readonly aspects: readonly OutlineAspect[];
  readonly isOpen: boolean;
  readonly ports: readonly FlowPort[];
  /** The kinds of the connectors that stages name, by the id of the stage; only while it is open. */
  readonly kinds: Readonly<Record<string, ConnectorKind | undefined>>;
}

/** A line: for everything that a closed flow does with a connector, and for each stage of an open one. */
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
  /** Lines of different connectors turn at different places, from 0, so that they can be followed one by one. */
  readonly track: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export type Points = ReadonlyMap<string, Point>;

export interface Box {
  /** The same as long as the names are. */
  readonly id: string;
  readonly width: number;
  readonly height: number;
  readonly problems: ProblemCount;
  /** How it differs from the last commit, while that is shown. */
  readonly difference?: Difference | undefined;
}

export interface ProblemCount {
  readonly errors: number;
  readonly warnings: number;
}

/** Where an edge leaves a flow. */
export interface FlowPort {
  /** Of the edge. */
  readonly id: string;
  /** Pixels from the top of the flow. */
  readonly top: number;
  /** Pixels from the left of a flow that is drawn alone, from above downwards. */
  readonly left: number;
  readonly connector: string;
  readonly stages: readonly string[];
}
