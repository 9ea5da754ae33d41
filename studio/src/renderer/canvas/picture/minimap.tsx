import { useReactFlow, useStore as useViewStore } from '@xyflow/react';
import { memo, type PointerEvent, useState } from 'react';
import { debugOf } from '../../debug/session/session.ts';
import { useStudio } from '../../shell/studio.ts';
import { useStore } from '../../state/use-store.ts';
import { boundsOf } from '../canvas.ts';
import { useCanvas } from '../context.ts';
import type { Drawn } from '../graph/drawn.ts';

const size = { width: 168, height: 112, margin: 8 };

/** The whole picture, small, with the part that is in sight. A click goes there. */
export function Minimap() {
  const drawn = useStore(useCanvas().drawn);
  const view = useReactFlow();
  const frame = frameOf(drawn);
  const [isHeld, setHeld] = useState(false);
  const covers = useViewStore((state) => isInTheWay(drawn, state));
  const go = ({ currentTarget, clientX, clientY, buttons }: PointerEvent<SVGSVGElement>) => {
    if (buttons !== 1) return;
    setHeld(true);
    const { left, top } = currentTarget.getBoundingClientRect();
    const x = frame.x + (clientX - left - frame.left) / frame.scale;
    const y = frame.y + (clientY - top - frame.top) / frame.scale;
    void view.setCenter(x, y, { zoom: view.getZoom() });
  };
  // While it is dragged it stays under the pointer.
  if (covers && !isHeld) return null;
  return (
    <div className="minimap" aria-hidden>
      <svg
        width={size.width}
        height={size.height}
        viewBox={`0 0 ${size.width} ${size.height}`}
        aria-hidden="true"
        onPointerDown={go}
        onPointerMove={go}
        onPointerUp={() => setHeld(false)}
        onPointerLeave={() => setHeld(false)}
      >
        <Marks drawn={drawn} />
        <Viewport frame={frame} />
      </svg>
    </div>
  );
}

/** Where the minimap begins, from the lower right corner of the canvas; the same as in canvas.css. */
const corner = { x: 182, y: 126 };

interface View {
  readonly transform: readonly [x: number, y: number, zoom: number];
  readonly width: number;
  readonly height: number;
}

/** Whether the minimap would cover a node, or show no more than what is in sight. */
function isInTheWay(drawn: Drawn, { transform: [x, y, zoom], width, height }: View): boolean {
  if (drawn.alone !== undefined) return true;
  let isAllInSight = true;
  const isCovered = drawn.graph.nodes.some((node) => {
    const point = drawn.points.get(node.id) ?? { x: 0, y: 0 };
    const left = point.x * zoom + x;
    const top = point.y * zoom + y;
    const [right, bottom] = [left + node.width * zoom, top + node.height * zoom];
    isAllInSight &&= left >= 0 && top >= 0 && right <= width && bottom <= height;
    return right > width - corner.x && left < width && bottom > height - corner.y && top < height;
  });
  return isCovered || isAllInSight;
}

interface Frame {
  /** The corner of everything, in the coordinates of the canvas. */
  readonly x: number;
  readonly y: number;
  readonly scale: number;
  /** Where that corner is in the minimap. */
  readonly left: number;
  readonly top: number;
}

function frameOf(drawn: Drawn): Frame {
  const box = boundsOf(drawn);
  const width = size.width - 2 * size.margin;
  const height = size.height - 2 * size.margin;
  const scale = Math.min(width / box.width, height / box.height, 0.25);
  const left = size.margin + (width - box.width * scale) / 2;
  const top = size.margin + (height - box.height * scale) / 2;
  return { x: box.x, y: box.y, scale, left, top };
}

const Marks = memo(({ drawn }: { readonly drawn: Drawn }) => {
  const { x, y, scale, left, top } = frameOf(drawn);
  const { model } = debugOf(useStudio());
  const paused = useStore(model.state, ({ threads }) =>
    threads.filter(({ isPaused }) => isPaused).map(({ flow }) => flow),
  );
  return (
    <g className="mark">
      {drawn.graph.nodes.map((node) => {
        const point = drawn.points.get(node.id) ?? { x: 0, y: 0 };
        const isPaused = node.kind === 'flow' && paused.includes(node.flow.name);
        const isOpen = node.kind === 'flow' && node.isOpen;
        const height = Math.max(1, node.height * scale);
        return (
          <rect
            key={node.id}
            className={isOpen ? (isPaused ? 'frame paused' : 'frame') : isPaused ? 'at' : undefined}
            x={left + (point.x - x) * scale}
            y={top + (point.y - y) * scale}
            width={Math.max(1, node.width * scale)}
            height={height}
            rx={node.kind === 'flow' && !isOpen ? height / 2 : Math.min(2, height / 3)}
          />
        );
      })}
    </g>
  );
});

function Viewport({ frame: { x, y, scale, left, top } }: { readonly frame: Frame }) {
  const transform = useViewStore((state) => state.transform);
  const width = useViewStore((state) => state.width);
  const height = useViewStore((state) => state.height);
  const [viewX, viewY, zoom] = transform;
  if (!Number.isFinite(x) || width === 0) return null;
  const edge = (value: number, most: number) => Math.max(1, Math.min(most - 1, value));
  const start = {
    x: edge(left + (-viewX / zoom - x) * scale, size.width),
    y: edge(top + (-viewY / zoom - y) * scale, size.height),
  };
  const end = {
    x: edge(left + ((width - viewX) / zoom - x) * scale, size.width),
    y: edge(top + ((height - viewY) / zoom - y) * scale, size.height),
  };
  return (
    <rect
      className="viewport"
      x={start.x}
      y={start.y}
      width={Math.max(2, end.x - start.x)}
      height={Math.max(2, end.y - start.y)}
      rx={3}
    />
  );
}
