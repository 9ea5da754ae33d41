import type { Edge } from '@xyflow/react';
import type { GraphEdge } from '../graph/drawn.ts';

export type CanvasEdge = Edge<{ readonly edge: GraphEdge }>;
