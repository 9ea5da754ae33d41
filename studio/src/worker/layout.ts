import { type LayoutRequest, layoutGraph } from './layout-graph.ts';
import { layoutGroups } from './layout-groups.ts';

// Lays the canvas out apart from the window, so that nothing waits for it.

addEventListener('message', ({ data }: MessageEvent<LayoutRequest>) =>
  postMessage(data.groups === undefined ? layoutGraph(data) : layoutGroups(data)),
);
