import { EmptyState } from '../../shell/window/empty-state.tsx';
import { IconButton } from '../../shell/window/icon-button.tsx';
import { Section } from '../../shell/window/section.tsx';
import { useStore } from '../../state/use-store.ts';
import { Icon } from '../../theme/icon.tsx';
import { useDebugger } from '../debugger.ts';
import type { FlowMap } from '../session/flow-map.ts';
import { reveal } from '../session/reveal.ts';
import { debugOf } from '../session/session.ts';
import { keyOf, type Mark } from './breakpoints.ts';
import { FailureStopRows } from './failure-stop-rows.tsx';
import { shapeOf, spoken } from './mark-shape.ts';
import type { Stops } from './stops.ts';

/** Every breakpoint with its shape, what it waits for, and how often it was met. */
export function BreakpointList() {
  const { studio, stops } = useDebugger();
  const { breakpoints } = debugOf(studio);
  const marks = rowsOf([...useStore(breakpoints.marks).values()], stops);
  useStore(stops.all);
  const isMuted = useStore(breakpoints.isMuted);
  const tools = (
    <>
      <IconButton
        icon="bug"
        label={isMuted ? 'Unmute all' : 'Mute all'}
        pressed={isMuted}
        disabled={marks.length === 0}
        onClick={() => breakpoints.mute(!isMuted)}
      />
      <IconButton icon="trash" label="Remove all" disabled={marks.length === 0} onClick={() => breakpoints.clear()} />
    </>
  );
  return (
    <Section title="Breakpoints" sub={isMuted ? `${marks.length}, all muted` : String(marks.length)} tools={tools} fill>
      <div className="section-body">
        <FailureStopRows />
        <ul aria-label="Breakpoints">
          {marks.map(({ mark, flows }) => (
            <BreakpointRow key={keyOf(mark)} mark={mark} flows={flows} isMuted={isMuted} />
          ))}
        </ul>
        {marks.length === 0 && (
          <EmptyState line="svc trace FLOW --break-at transform">
            Click left of a line number, or press F9, to stop there.
          </EmptyState>
        )}
      </div>
    </Section>
  );
}

interface Row {
  readonly mark: Mark;
  /** How many flows share the text that it is in. */
  readonly flows: number;
}

/** One row for all flows that share a text: the breakpoint of one that can stop, with the hits of all. */
function rowsOf(marks: readonly Mark[], stops: Stops): readonly Row[] {
  const byText = Map.groupBy(marks, (mark) => keyOf(stops.sharing(mark)[0] ?? mark));
  return [...byText.values()].map((all) => {
    const mark = all.find(({ verified }) => verified !== false) ?? (all[0] as Mark);
    return { mark: { ...mark, hits: all.reduce((sum, { hits }) => sum + hits, 0) }, flows: all.length };
  });
}

function BreakpointRow({ mark, flows: count, isMuted }: Row & { readonly isMuted: boolean }) {
  const { studio, stops, flows, edited } = useDebugger();
  useStore(flows.outline);
  const { breakpoints } = debugOf(studio);
  useStore(stops.all);
  const title = titleOf(mark, flows, stops);
  const open = () => {
    const stop = stops.find(mark);
    if (stop) reveal(studio, stop.file, stop.start);
  };
  return (
    <li className="row breakpoint-row" title={spoken(mark)}>
      <input
        type="checkbox"
        checked={mark.isEnabled}
        aria-label={`${title} is on`}
        onChange={() => breakpoints.set({ ...mark, isEnabled: !mark.isEnabled })}
      />
      <Icon name={shapeOf(mark, isMuted)} label={spoken(mark)} />
      <button type="button" className="name breakpoint-name" onClick={open}>
        {title} <span className="faint">{noteOf(mark, count)}</span>
      </button>
      <span className="breakpoint-tools">
        <IconButton icon="gear" label={`Edit breakpoint ${title}`} onClick={() => edited.set(mark)} />
        <IconButton icon="close" label={`Remove breakpoint ${title}`} onClick={() => breakpoints.remove(mark)} />
      </span>
      {mark.verified !== false && (
        <span className="meta numeric" title="hits so far">
          {mark.hits}
        </span>
      )}
    </li>
  );
}

export function titleOf(mark: Mark, flows: FlowMap, stops: Stops): string {
  const { flow, stage, name, ruleIndex } = mark;
  const block = name === '' ? stage : `${stage} ${name}`;
  if (ruleIndex < 0) return block;
  const rule = flows.stage(flow, stage, name)?.rules.find(({ index }) => index === ruleIndex);
  return rule?.target ?? stops.find(mark)?.word ?? `rule ${ruleIndex + 1} of ${block}`;
}

function noteOf({ flow, verified, message, condition, hitCount, logMessage }: Mark, flows: number): string {
  if (verified === false) return message || 'not in the running version';
  if (logMessage) return `logs ${logMessage}`;
  const parts = [condition, hitCount !== undefined && `from hit ${hitCount} on`].filter(Boolean);
  return parts.length > 0 ? parts.join(', ') : flows > 1 ? `${flows} flows` : flow;
}
