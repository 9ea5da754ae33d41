import type { LayoutAnswer, LayoutRequest } from '../../../worker/layout-graph.ts';
import type { Graph, Points } from './drawn.ts';
import { closedHeight, connectorWidth, pillWidth } from './sizes.ts';

/** Lays out a graph with every flow closed; `groups` holds the ids of the flows that are placed together. */
export type LayOut = (graph: Graph, groups?: readonly (readonly string[])[]) => Promise<Points>;

/** Lays out in a worker, which starts with the first question. */
export function layoutInWorker(): LayOut {
  let worker: Worker | undefined;
  let last = 0;
  const waiting = new Map<number, (points: Points) => void>();
  const start = () => {
    const made = new Worker(new URL('../../../worker/layout.ts', import.meta.url), { type: 'module' });
    made.addEventListener('message', ({ data: { id, points } }: MessageEvent<LayoutAnswer>) => {
      waiting.get(id)?.(points);
      waiting.delete(id);
    });
    return made;
  };
  return (graph, groups) => {
    worker ??= start();
    const request = { ...layoutRequest(++last, graph), groups };
    const { promise, resolve } = Promise.withResolvers<Points>();
    waiting.set(request.id, resolve);
    worker.postMessage(request);
    return promise;
  };
}

export function layoutRequest(id: number, { nodes, edges }: Graph): LayoutRequest {
  return {
    id,
    nodes: nodes.map((node) => ({
      id: node.id,
      width: node.kind === 'flow' ? pillWidth : connectorWidth,
      height: closedHeight,
      column: node.kind === 'flow' ? 1 : node.side === 'source' ? 0 : 2,
    })),
    edges: edges.map(({ source, target }) => ({ source, target })),
  };
}
