import type { Outline } from '@svc/protocol/language';
import { type CSSProperties, type KeyboardEvent, useEffect, useMemo, useRef } from 'react';
import { revealOffsets } from '../editor/reveal.ts';
import { ConnectorIcon } from '../plugins/connector-icon.tsx';
import { useStudio } from '../shell/studio.ts';
import { EmptyState } from '../shell/window/empty-state.tsx';
import { IconButton } from '../shell/window/icon-button.tsx';
import { Section } from '../shell/window/section.tsx';
import { Store } from '../state/store.ts';
import { useStore } from '../state/use-store.ts';
import { lookOfKind, lookOfNode } from '../theme/connector-kind.ts';
import { Icon, type IconName } from '../theme/icon.tsx';
import type { Canvas } from './canvas.ts';
import { CanvasContext, useCanvas, useThread } from './context.ts';
import { type OutlinePlace, stopPlaceOf } from './graph/places.ts';
import { placeMenu } from './menu.ts';
import { NothingDrawn } from './nothing-drawn.tsx';
import { moveInRows, type OutlineRow, outlineRows, rowsAbove } from './outline-rows.ts';
import { BreakpointMark } from './picture/mark.tsx';

/** What the list remembers while the window lives. */
class OutlineList {
  readonly flipped = new Store<ReadonlySet<string>>(new Set());
  readonly focused = new Store<string | undefined>(undefined);
  readonly sought = new Store('');

  flip(id: string): void {
    const flipped = new Set(this.flipped.value);
    if (!flipped.delete(id)) flipped.add(id);
    this.flipped.set(flipped);
  }
}

/** The canvas as a list: the same places, the same selection, for keyboards and for those who listen. */
export function flowsView(canvas: Canvas) {
  const list = new OutlineList();
  return function FlowsView() {
    const { project } = useStudio();
    const info = useStore(project.info);
    const isReady = useStore(canvas.isReady);
    const { connectors, flows } = useStore(canvas.outline);
    return (
      <CanvasContext value={canvas}>
        <Section title="Flows" sub="canvas as a list" fill tools={<Tools list={list} />}>
          {info === undefined ? (
            <EmptyState acts={[['project.open', 'Open folder']]} line="svc studio ./orders">
              Open a folder to see its flows.
            </EmptyState>
          ) : isReady && connectors.length + flows.length === 0 ? (
            <NoFlows />
          ) : (
            <FlowsTree list={list} />
          )}
        </Section>
      </CanvasContext>
    );
  };
}

function NoFlows() {
  const { commands } = useStudio();
  return (
    <div className="empty">
      <p>There are no connectors and no flows yet.</p>
      <div className="acts">
        <button type="button" className="button" onClick={() => commands.run('canvas.addConnector')}>
          Add connector
        </button>
      </div>
      <span className="command-line">
        <Icon name="terminal" />
        svc init orders
      </span>
    </div>
  );
}

function Tools({ list }: { readonly list: OutlineList }) {
  const { commands } = useStudio();
  return (
    <>
      <IconButton icon="graph" label="Open the canvas" onClick={() => commands.run('canvas.open')} />
      <IconButton icon="collapse" label="Collapse all" onClick={() => list.flipped.set(new Set())} />
    </>
  );
}

function FlowsTree({ list }: { readonly list: OutlineList }) {
  const studio = useStudio();
  const canvas = useCanvas();
  const outline = useShownOutline(canvas);
  const selected = useStore(canvas.selected);
  const flipped = useStore(list.flipped);
  const sought = useStore(list.sought);
  const focused = useStore(list.focused);
  const tree = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => outlineRows(outline, flipped, sought.toLowerCase()), [outline, flipped, sought]);
  const reachable = rows.some(({ id }) => id === focused) ? focused : rows[0]?.id;

  const rowAt = (id: string) => tree.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`);
  const focus = (id: string) => {
    list.focused.set(id);
    rowAt(id)?.focus();
  };
  const choose = ({ id, place }: OutlineRow) => {
    focus(id);
    if (place === undefined) return list.flip(id);
    canvas.select(id, 'tree');
    canvas.show(id);
  };
  useFollowing(list, canvas, selected, rowAt);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows.find(({ id }) => id === reachable);
    const move = moveInRows(rows, reachable, event.key);
    if (move !== undefined) {
      if ('focus' in move) focus(move.focus);
      else list.flip(move.flip);
    } else if (row === undefined) return;
    else if (event.key === 'Enter') {
      if (row.place) canvas.select(row.id, 'tree');
      if (row.place)
        void revealOffsets(studio, row.place.file, row.place.start, row.place.start).catch(studio.commands.onFailure);
      else list.flip(row.id);
    } else if (event.key === ' ') choose(row);
    else if (event.key.toLowerCase() === 'b' && row.place) canvas.toggleBreakpoint(row.id);
    else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
      const box = rowAt(row.id)?.getBoundingClientRect();
      placeMenu(studio, canvas, row.place, box?.left ?? 0, box?.bottom ?? 0);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <label className="search">
        <Icon name="search" />
        <input
          className="grow"
          placeholder="Find"
          aria-label="Find in flows"
          value={sought}
          onChange={({ target }) => list.sought.set(target.value)}
          onKeyDown={({ key }) => {
            if (key === 'Escape') list.sought.set('');
            if (key === 'ArrowDown' && rows[0]) focus(rows[0].id);
          }}
        />
      </label>
      <div ref={tree} className="tree outline-tree" role="tree" aria-label="Flows" tabIndex={-1} onKeyDown={onKeyDown}>
        {rows.map((row) => (
          <RowLine
            key={row.id}
            row={row}
            isSelected={row.id === selected}
            isReachable={row.id === reachable}
            onFocus={() => list.focused.set(row.id)}
            onChoose={() => choose(row)}
            onFlip={() => list.flip(row.id)}
            onMenu={(x, y) => placeMenu(studio, canvas, row.place, x, y)}
          />
        ))}
        {rows.length === 0 && sought === '' && <NothingDrawn canvas={canvas} />}
        {rows.length === 0 && sought !== '' && <p className="empty">Nothing is called “{sought}”.</p>}
      </div>
    </>
  );
}

/** The outline of what is drawn while the canvas is filtered: the list shows the same. */
function useShownOutline(canvas: Canvas): Outline {
  const outline = useStore(canvas.outline);
  const filter = useStore(canvas.filter);
  const { graph, alone } = useStore(canvas.drawn);
  const comparison = useStore(canvas.changes.comparison);
  return useMemo(() => {
    if (filter === 'all' || alone !== undefined) return outline;
    const whole = filter === 'changed' ? (comparison?.outline ?? outline) : outline;
    const drawn = new Set(graph.nodes.map((node) => (node.kind === 'flow' ? node.id : node.connector.id)));
    return {
      ...whole,
      connectors: whole.connectors.filter(({ id }) => drawn.has(id)),
      flows: whole.flows.filter(({ id }) => drawn.has(id)),
      edges: whole.edges.filter(({ flow, connector }) => drawn.has(flow) && drawn.has(connector)),
    };
  }, [outline, filter, graph, alone, comparison]);
}

/** What is selected elsewhere is unfolded and brought into sight. */
function useFollowing(
  list: OutlineList,
  canvas: Canvas,
  selected: string | undefined,
  rowAt: (id: string) => HTMLElement | null | undefined,
): void {
  const find = useRef(rowAt);
  find.current = rowAt;
  useEffect(() => {
    const place = selected === undefined ? undefined : canvas.places.get(selected);
    if (place === undefined) return;
    for (const id of rowsAbove(canvas.outline.value, place)) {
      const row = find.current(id);
      const isClosed = row ? row.getAttribute('aria-expanded') === 'false' : id === place.flow?.id;
      if (isClosed) list.flip(id);
    }
    const frame = requestAnimationFrame(() => find.current(place.id)?.scrollIntoView({ block: 'nearest' }));
    return () => cancelAnimationFrame(frame);
  }, [selected, canvas, list]);
}

interface RowLineProps {
  readonly row: OutlineRow;
  readonly isSelected: boolean;
  readonly isReachable: boolean;
  readonly onFocus: () => void;
  readonly onChoose: () => void;
  readonly onFlip: () => void;
  readonly onMenu: (x: number, y: number) => void;
}

function RowLine({ row, isSelected, isReachable, onFocus, onChoose, onFlip, onMenu }: RowLineProps) {
  const { id, name, meta, depth, isOpen, position, siblings, place, family } = row;
  const thread = useThread(place?.flow?.name ?? '');
  const isHere = thread?.isPaused === true && isStoppedAt(place, thread);
  const className = ['row', isSelected && 'selected', isHere && 'stopped'].filter(Boolean).join(' ');
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree around it takes the keys (WAI-ARIA, tree view)
    <div
      className={className}
      style={{ '--d': depth } as CSSProperties}
      data-row={id}
      role="treeitem"
      aria-level={depth + 1}
      aria-setsize={siblings}
      aria-posinset={position}
      aria-expanded={isOpen}
      aria-selected={isSelected}
      tabIndex={isReachable ? 0 : -1}
      onFocus={onFocus}
      onClick={({ target }) => ((target as Element).closest('.twisty') ? onFlip() : onChoose())}
      onDoubleClick={() => isOpen !== undefined && place !== undefined && onFlip()}
      onContextMenu={(event) => {
        event.preventDefault();
        onMenu(event.clientX, event.clientY);
      }}
    >
      {isOpen === undefined ? (
        <span className="lead" />
      ) : (
        <span className="twisty">
          <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} size="small" />
        </span>
      )}
      <RowIcon place={place} family={family} isHere={isHere} />
      <span className="name">{name}</span>
      <span className="meta">{isHere && (place?.rule ?? place?.stage) ? 'paused' : meta}</span>
    </div>
  );
}

interface RowIconProps {
  readonly place: OutlinePlace | undefined;
  readonly family: OutlineRow['family'];
  readonly isHere: boolean;
}

function RowIcon({ place, family, isHere }: RowIconProps) {
  if (family) return <Icon name={family as IconName} className={`${family} ink`} />;
  if (place?.connector) {
    const { name, className } = place.connector.declared ? lookOfNode(place.connector) : ghost;
    return <ConnectorIcon name={name} file={place.connector.icon} className={`type-icon ${className}`} />;
  }
  if (place?.aspect) return <Icon name="link" className="type-icon" />;
  if (place?.stage) {
    const look = place.kind && lookOfKind(place.kind);
    return (
      <span className="spacer">
        <BreakpointMark places={[stopPlaceOf(place)]} isHere={isHere}>
          {look && <Icon name={look.name} className={`type-icon ${look.className}`} />}
        </BreakpointMark>
      </span>
    );
  }
  return isHere ? <Icon name="pause" className="paused-ink ink" /> : <Icon name="flow" className="type-icon" />;
}

const ghost = { name: 'error', className: 'error' } as const;

/** Whether a paused thread is at a place, or in it while it is folded to a flow. */
function isStoppedAt(
  place: OutlinePlace | undefined,
  {
    stage,
    name,
    rule,
  }: { readonly stage: string; readonly name: string; readonly rule: { index: number } | undefined },
): boolean {
  if (place?.flow === undefined) return false;
  if (place.stage === undefined) return true;
  if (place.stage.stage !== stage || place.stage.name !== name) return false;
  return place.rule === undefined ? rule === undefined : rule?.index === place.rule.index;
}
