import '@xyflow/react/dist/base.css';
import {
  Background,
  type Connection,
  ConnectionLineType,
  type NodeChange,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react';
import { type KeyboardEvent, type MouseEvent, useDeferredValue, useMemo, useRef, useState } from 'react';
import { useStudio } from '../shell/studio.ts';
import { useStore } from '../state/use-store.ts';
import { CanvasBar } from './bar.tsx';
import { buildingChord, buildingClick } from './building/gestures.ts';
import type { Canvas } from './canvas.ts';
import { CanvasContext, useCanvas } from './context.ts';
import { EmptyCanvas } from './empty.tsx';
import type { Point } from './graph/drawn.ts';
import { ShowsStages } from './groups/detail.ts';
import type { GroupNode } from './groups/elements.ts';
import { framesOf } from './groups/frames.ts';
import { BundleLine, GroupBox } from './groups/group-box.tsx';
import { GroupedFlow } from './groups/grouped-flow.tsx';
import { moveAmongGroups, spokenGroup } from './groups/keys.ts';
import { useDistance, useGrouped } from './groups/use-grouped.ts';
import { fitting, sightOfGroup, useOpening } from './groups/use-opening.ts';
import { moveOnCanvas, spokenPlace } from './keys.ts';
import { placeMenu } from './menu.ts';
import { NothingDrawn } from './nothing-drawn.tsx';
import type { CanvasNode } from './picture/canvas-node.ts';
import { EdgeLine } from './picture/edge.tsx';
import { type FlowElements, flowElements } from './picture/elements.ts';
import { Minimap } from './picture/minimap.tsx';
import { ConnectorBox, FlowBox } from './picture/nodes.tsx';
import { useReveal } from './picture/reveal.ts';
import { ZoomBar } from './picture/zoom.tsx';

const nodeTypes = { connector: ConnectorBox, flow: FlowBox, flows: GroupBox };
const edgeTypes = { line: EdgeLine, bundle: BundleLine };

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
  const isReady = useStore(canvas.isReady);
  const isEmpty = useStore(canvas.outline, ({ connectors, flows }) => connectors.length + flows.length === 0);
  const name = useStore(studio.project.info)?.name ?? '';
  const { elements, change } = useElements(canvas);
  const { nodes, edges, detail, isGrouped } = useGrouped(elements);
  const isFar = detail === 'groups';
  const className = useDistance(root, detail);
  // The tab is there at once; what takes longer to make comes behind it, between frames.
  const hasGraph = useDeferredValue(isReady, false);
  const hasMap = useDeferredValue(hasGraph, false);
  const { fit, moved } = useOpening(root, hasGraph);
  useReveal(canvas, hasGraph);

  const enter = (group: string) => {
    const { width, height } = root.current!.getBoundingClientRect();
    const sight = sightOfGroup(canvas, group, width, height);
    if (sight === undefined) return;
    moved();
    void view.setViewport(sight);
    const [first] = framesOf(canvas.drawn.value).find((frame) => frame.group.id === group)?.group.flows ?? [];
    if (first !== undefined) go(first);
  };
  const say = (id: string | undefined) => {
    const place = id === undefined ? undefined : canvas.places.get(id);
    if (place) studio.announce(spokenPlace(place, canvas.open.value));
    const frame = framesOf(canvas.drawn.value).find(({ group }) => group.id === id);
    if (frame) studio.announce(spokenGroup(frame));
  };
  const go = (id: string) => {
    canvas.select(id);
    if (!isFar || !isConnector(canvas, id)) canvas.show(id);
    say(id);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLInputElement || event.altKey) return;
    if (event.ctrlKey || event.metaKey) {
      const box = root.current!.getBoundingClientRect();
      if (!buildingChord(studio, canvas, event, box.left + box.width / 2, box.top + box.height / 2)) return;
      event.preventDefault();
      return event.stopPropagation();
    }
    if (
      event.target instanceof HTMLButtonElement &&
      (event.key === 'Enter' || event.key === ' ' || event.key === 'Tab')
    )
      return;
    const { place } = canvas;
    const { key } = event;
    const next = (isFar ? moveAmongGroups : moveOnCanvas)(canvas, key, event.shiftKey);
    const group = groupOf(canvas, canvas.selected.value);
    if (next !== undefined) go(next);
    else if (key === '/') find.current?.focus();
    else if (key === '0') fit();
    else if (key === '+') void view.zoomIn();
    else if (key === '-') void view.zoomOut();
    else if (key === 'Enter' && isFar && group) enter(group);
    else if (key === 'Enter' && place?.flow) openOrEnter(canvas, place.flow.id, place.id, go);
    else if (key === ' ' && place) go(place.id);
    else if (key.toLowerCase() === 'a' && place?.flow) studio.commands.run('canvas.addStage');
    else if (key.toLowerCase() === 'n' && place?.connector) studio.commands.run('canvas.flowFrom');
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
  const onClick = ({ target, clientX, clientY }: MouseEvent) => {
    const element = target as Element;
    if (element.closest('button, input, .minimap') !== null) return;
    if (buildingClick(studio, canvas, element, clientX, clientY)) return;
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
    const group = (target as Element).closest('[data-place^="group "]')?.getAttribute('data-place');
    if (group) enter(group);
    else if (place?.flow && place.stage === undefined)
      canvas.setOpen(place.flow.id, !canvas.open.value.has(place.flow.id));
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
      className={className}
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
      {hasGraph && (
        <ShowsStages value={detail === 'stages'}>
          <GroupedFlow
            nodes={nodes}
            edges={edges}
            isGrouped={isGrouped}
            isFar={isFar}
            nodeTypes={nodeTypes}
            edgeTypes={edgeTypes}
            onNodesChange={change}
            onConnect={connect}
            onMoveStart={(event) => {
              if (event !== null) moved();
              root.current?.classList.add('moving');
            }}
            onMoveEnd={() => root.current?.classList.remove('moving')}
            isValidConnection={({ source, target }) =>
              connectorNamed(source) !== undefined && connectorNamed(target) !== undefined
            }
            connectionLineType={ConnectionLineType.SmoothStep}
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
          </GroupedFlow>
        </ShowsStages>
      )}
      <CanvasBar find={find} onFound={go} onLeave={() => root.current?.focus()} />
      <NothingDrawn canvas={canvas} />
      <ZoomBar onFit={fit} />
      {hasMap && <Minimap />}
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

function isConnector(canvas: Canvas, id: string): boolean {
  return canvas.places.get(id)?.connector !== undefined;
}

/** The group that is selected, or that of a selected flow. */
function groupOf({ drawn, places }: Canvas, id: string | undefined): string | undefined {
  const flow = id === undefined ? undefined : places.get(id)?.flow?.id;
  return drawn.value.groups?.find((group) => group.id === id || (flow !== undefined && group.flows.includes(flow)))?.id;
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
  const change = (changes: readonly NodeChange<CanvasNode | GroupNode>[]) => {
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
  return { elements, change };
}
