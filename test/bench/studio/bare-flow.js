// A graph as large as the measured picture, of the library's own boxes and lines.
import '@xyflow/react/dist/style.css';
import { ReactFlow } from '@xyflow/react';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';

const nodes = Array.from({ length: 1_000 }, (_, index) => ({
  id: String(index),
  position: { x: (index % 25) * 200, y: Math.floor(index / 25) * 80 },
  data: { label: `box ${index}` },
}));
const edges = Array.from({ length: 1_500 }, (_, index) => ({
  id: `e${index}`,
  source: String(index % 1_000),
  target: String((index * 7 + 1) % 1_000),
}));
createRoot(document.getElementById('root')).render(
  createElement(ReactFlow, { nodes, edges, fitView: true, minZoom: 0.05 }),
);
