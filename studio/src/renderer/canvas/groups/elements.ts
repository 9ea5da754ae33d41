import type { Edge, Node } from '@xyflow/react';
import { Position } from '@xyflow/react';
import type { Drawn } from '../graph/drawn.ts';
import type { FlowElements } from '../picture/elements.ts';
import type { Detail } from './detail.ts';
import { type Bundle, bundlesOf, framesOf, type GroupFrame } from './frames.ts';

export type GroupNode = Node<{ readonly frame: GroupFrame; readonly isFar: boolean }, 'flows'>;
export type BundleEdge = Edge<{ readonly bundle: Bundle }, 'bundle'>;

const portSize = 8;

/**
 * What may be drawn of a picture whose flows are grouped. From afar, groups cover their flows; nearer, flows are inside
 * their frames, and beside the lines of groups there are those of the flows that are `lit`: all of them would cover the
 * names.
 */
export function groupedElements(full: FlowElements, detail: Detail, lit: ReadonlySet<string>) {
  const isFar = detail === 'groups';
  const { nodes: frames, edges: bundles } = groupElements(full.of, isFar);
  if (isFar) return { nodes: [...frames, ...full.nodes], edges: bundles };
  const edges = full.edges.filter(({ data }) => data !== undefined && lit.has(data.edge.flow));
  return { nodes: [...frames, ...full.nodes], edges: [...bundles, ...edges] };
}

const made = new WeakMap<Drawn, Map<boolean, { nodes: GroupNode[]; edges: BundleEdge[] }>>();

/** Frames and their lines, the same objects while what is drawn is the same. */
function groupElements(drawn: Drawn, isFar: boolean) {
  const known = made.get(drawn) ?? new Map();
  made.set(drawn, known);
  const kept = known.get(isFar) ?? {
    nodes: framesOf(drawn).map((frame) => nodeOf(frame, isFar)),
    edges: bundlesOf(drawn).map(edgeOf),
  };
  known.set(isFar, kept);
  return kept;
}

function nodeOf(frame: GroupFrame, isFar: boolean): GroupNode {
  const { group, x, y, width, height, flows } = frame;
  const handle = (type: 'source' | 'target') => ({
    id: type === 'source' ? 'out' : 'in',
    type,
    position: type === 'source' ? Position.Right : Position.Left,
    x: type === 'source' ? width - portSize / 2 : -portSize / 2,
    y: height / 2 - portSize / 2,
    width: portSize,
    height: portSize,
  });
  return {
    id: group.id,
    type: 'flows',
    position: { x, y },
    width,
    height,
    measured: { width, height },
    // Flows are drawn above the frame of their group; from afar it covers those that have not gone yet.
    zIndex: isFar ? 2 : -1,
    draggable: false,
    ariaLabel: `group ${group.name}, ${flows.length} flows`,
    handles: [handle('target'), handle('source')],
    data: { frame, isFar },
  };
}

function edgeOf(bundle: Bundle): BundleEdge {
  const { id, source, target } = bundle;
  return { id, source, target, sourceHandle: 'out', targetHandle: 'in', type: 'bundle', data: { bundle } };
}
