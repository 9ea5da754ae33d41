import { type LayoutRequest, layoutGraph } from './layout-graph.ts';

// Lays the canvas out apart from the window, so that nothing waits for it.

addEventListener('message', ({ data }: MessageEvent<LayoutRequest>) => postMessage(layoutGraph(data)));
