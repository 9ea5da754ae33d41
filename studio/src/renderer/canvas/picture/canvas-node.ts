import type { Node } from '@xyflow/react';
import type { GraphNode } from '../graph/drawn.ts';

export type CanvasNode = Node<{ readonly node: GraphNode }>;
