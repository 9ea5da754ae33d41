import '@xyflow/react/dist/base.css';
import {
  Background,
  type Connection,
  ConnectionLineType,
  getViewportForBounds,
  type NodeChange,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStoreApi,
} from '@xyflow/react';
import { type KeyboardEvent, type MouseEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useStudio } from '../shell/studio.ts';
import { useStore } from '../state/use-store.ts';
import { CanvasBar } from './bar.tsx';
import { boundsOf, type Canvas } from './canvas.ts';
import { CanvasContext, useCanvas } from './context.ts';
import { EmptyCanvas } from './empty.tsx';
import type { Point } from './graph/placement.ts';
import { moveOnCanvas, spokenPlace } from './keys.ts';
import { placeMenu } from './menu.ts';
import { EdgeLine } from './picture/edge.tsx';
import { type FlowElements, flowElements } from './picture/elements.ts';
import { Minimap } from './picture/minimap.tsx';
import { type CanvasNode, ConnectorBox, FlowBox } from './picture/nodes.tsx';
import { ZoomBar } from './picture/zoom.tsx';

const nodeTypes = { connector: ConnectorBox, flow: FlowBox };
const edgeTypes = { line: EdgeLine };
const fitting = {
  minZoom: 0.05,
  padding: { top: '52px', bottom: '24px', left: '24px', right: '24px' },
  maxZoom: 1,
} as const;

/** The project as a picture: connectors, flows and what joins them. */
export function canvasView(canvas: Canvas) {
  return function CanvasTab() {
    return (
      <CanvasContext value={canvas}>
        <ReactFlowProvider>
          <CanvasView />
        </ReactFlowProvider>
      </CanvasContext>
    );
  };
}

function CanvasView() {
  const studio = useStudio();
  const canvas = useCanvas();
  const view = useReactFlow();
  const root = useRef<HTMLDivElement>(null);
  const find = useRef<HTMLInputElement>(null);
  /** Whether the person chose what is in sight; until then, everything is. */
  const isMoved = useRef(false);
  const isReady = useStore(canvas.isReady);
  const isEmpty = useStore(canvas.outline, ({ connectors, flows }) => connectors.length + flows.length === 0);
  const name = useStore(studio.project.info)?.name ?? '';
  const { nodes, edges, change } = useElements(canvas);
  useReveal(canvas);

  const fit = () => {
    if (canvas.drawn.value.graph.nodes.length === 0) return;
    const { width, height } = root.current!.getBoundingClientRect();
    const { minZoom, maxZoom, padding } = fitting;
    isMoved.current = false;
    void view.setViewport(getViewportForBounds(boundsOf(canvas.drawn.value), width, height, minZoom, maxZoom, padding));
  };
  const refit = useRef(fit);
  refit.current = fit;
  useEffect(() => {
    if (!isReady || root.current === null) return;
    const watch = new ResizeObserver(() => isMoved.current || refit.current());
    watch.observe(root.current);
    return () => watch.disconnect();
  }, [isReady]);
  const say = (id: string | undefined) => {
    const place = id === undefined ? undefined : canvas.places.get(id);
    if (place) studio.announce(spokenPlace(place, canvas.open.value));
  };
  const go = (id: string) => {
    canvas.select(id);
    canvas.show(id);
    say(id);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey) return;
    if (
      event.target instanceof HTMLButtonElement &&
      (event.key === 'Enter' || event.key === ' ' || event.key === 'Tab')
    )
      return;
    const { place } = canvas;
    const { key } = event;
    const next = moveOnCanvas(canvas, key, event.shiftKey);
    if (next !== undefined) go(next);
    else if (key === '/') find.current?.focus();
    else if (key === '0') fit();
    else if (key === '+') void view.zoomIn();
    else if (key === '-') void view.zoomOut();
    else if (key === 'Enter' && place?.flow) openOrEnter(canvas, place.flow.id, place.id, go);
    else if (key === ' ' && place) go(place.id);
    else if (key.toLowerCase() === 'b' && place) {
      const isSet = canvas.toggleBreakpoint(place.id);
      studio.announce(isSet ? 'Breakpoint changed' : 'No flow stops here');
    } else if (key === 'Escape') studio.commands.run('canvas.showText');
    else if (key === 'ContextMenu' || (key === 'F10' && event.shiftKey)) {
      const box = root.current!.getBoundingClientRect();
      placeMenu(studio, canvas, place, box.left + box.width / 2, box.top + box.height / 2);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onClick = ({ target }: MouseEvent) => {
    const element = target as Element;
    if (element.closest('button, input, .minimap') !== null) return;
    const fold = element.closest('[data-fold]')?.getAttribute('data-fold');
    const mark = element.closest('[data-mark]')?.getAttribute('data-mark');
    const id = element.closest('[data-place]')?.getAttribute('data-place');
    if (fold) canvas.setOpen(fold, false);
    else if (mark) canvas.toggleBreakpoint(mark);
    else canvas.select(id ?? undefined);
    root.current?.focus({ preventScroll: true });
  };
  const onDoubleClick = ({ target }: MouseEvent) => {
    const place = placeOf(canvas, target as Element);
    if (place?.flow && place.stage === undefined) canvas.setOpen(place.flow.id, !canvas.open.value.has(place.flow.id));
    else if (place) studio.commands.run('canvas.showText');
  };
  const onContextMenu = (event: MouseEvent) => {
    event.preventDefault();
    const place = placeOf(canvas, event.target as Element);
    if (place) canvas.select(place.id);
    placeMenu(studio, canvas, place, event.clientX, event.clientY);
  };
  const connect = ({ source, target }: Connection) => {
    const from = connectorNamed(source);
    const to = connectorNamed(target);
    if (from !== undefined && to !== undefined) studio.commands.run('canvas.addFlow', { from, to });
  };

  if (isReady && isEmpty) return <EmptyCanvas />;
  return (
    <div
      ref={root}
      className="canvas"
      role="application"
      aria-roledescription="canvas"
      aria-label={`Canvas of ${name}. Arrow keys follow the edges, Enter opens a flow, the view Flows shows the same as a list.`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes the keys itself
      tabIndex={0}
      onKeyDown={onKeyDown}
      onClick={onClick}
      onDoubleClick={onDoubleClick}
      onContextMenu={onContextMenu}
    >
      {isReady && (
        <ReactFlow
          nodes={nodes}
          edges={edges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          onNodesChange={change}
          onConnect={connect}
          onMoveStart={(event) => {
            if (event !== null) isMoved.current = true;
            root.current?.classList.add('moving');
          }}
          onMoveEnd={() => root.current?.classList.remove('moving')}
          isValidConnection={({ source, target }) =>
            connectorNamed(source) !== undefined && connectorNamed(target) !== undefined
          }
          connectionLineType={ConnectionLineType.SmoothStep}
          onlyRenderVisibleElements
          minZoom={fitting.minZoom}
          maxZoom={2}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          disableKeyboardA11y
          deleteKeyCode={null}
          selectionKeyCode={null}
          multiSelectionKeyCode={null}
          panActivationKeyCode={null}
          zoomActivationKeyCode={null}
          zoomOnDoubleClick={false}
          nodeDragThreshold={4}
          proOptions={{ hideAttribution: true }}
        >
          <Background gap={16} size={2} color="var(--canvas-dot)" />
        </ReactFlow>
      )}
      <CanvasBar find={find} onFound={go} onLeave={() => root.current?.focus()} />
      <ZoomBar onFit={fit} />
      {isReady && <Minimap />}
    </div>
  );
}

function placeOf(canvas: Canvas, element: Element) {
  const id = element.closest('[data-place]')?.getAttribute('data-place');
  return id ? canvas.places.get(id) : undefined;
}

/** A flow that is closed opens; in one that is open, its first stage is entered. */
function openOrEnter(canvas: Canvas, flow: string, id: string, go: (id: string) => void): void {
  if (id !== flow) return canvas.setOpen(flow, false);
  if (!canvas.open.value.has(flow)) return canvas.setOpen(flow, true);
  const first = canvas.places.get(flow)?.flow?.stages[0];
  if (first) go(first.id);
}

/** The name of the connector of a node. */
function connectorNamed(node: string): string | undefined {
  return /^(?:source|target) connector (.+)$/.exec(node)?.[1];
}

/** Nodes and edges for the view; what did not change stays the same object. A node that is dragged is where the pointer is. */
function useElements(canvas: Canvas) {
  const drawn = useStore(canvas.drawn);
  const [dragged, setDragged] = useState<{ readonly id: string; readonly point: Point }>();
  const last = useRef<FlowElements>(undefined);
  const elements = useMemo(() => {
    last.current = flowElements(drawn, dragged, last.current);
    return last.current;
  }, [drawn, dragged]);
  const change = (changes: readonly NodeChange<CanvasNode>[]) => {
    for (const one of changes) {
      if (one.type !== 'position') continue;
      const point = one.position ?? dragged?.point;
      if (one.dragging === true && point) setDragged({ id: one.id, point });
      else {
        if (point) canvas.move(one.id, point);
        setDragged(undefined);
      }
    }
  };
  return { ...elements, change };
}

/** Brings into sight what was asked for. */
function useReveal(canvas: Canvas): void {
  const view = useReactFlow();
  const store = useStoreApi();
  const shown = useStore(canvas.shown);
  useEffect(() => {
    if (shown === undefined) return;
    const place = canvas.places.get(shown.id);
    const { graph, points } = canvas.drawn.value;
    const wanted = place?.flow?.id ?? place?.connector?.id;
    const node = graph.nodes.find((each) => (each.kind === 'flow' ? each.id : each.connector.id) === wanted);
    const point = node && points.get(node.id);
    if (node === undefined || point === undefined) return;
    const holder = store.getState();
    const { x, y, zoom } = view.getViewport();
    const left = point.x * zoom + x;
    const top = point.y * zoom + y;
    const inside =
      left >= 0 && top >= 0 && left + node.width * zoom <= holder.width && top + node.height * zoom <= holder.height;
    if (!inside)
      void view.setCenter(point.x + node.width / 2, point.y + node.height / 2, { zoom: Math.max(zoom, 0.5) });
  }, [shown, canvas, view, store]);
}
