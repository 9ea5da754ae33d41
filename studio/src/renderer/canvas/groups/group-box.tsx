import { type EdgeProps, Handle, type NodeProps, Position } from '@xyflow/react';
import { memo, useCallback, useSyncExternalStore } from 'react';
import { debugOf } from '../../debug/session/session.ts';
import { useStudio } from '../../shell/studio.ts';
import { useStore } from '../../state/use-store.ts';
import { Icon } from '../../theme/icon.tsx';
import { useCanvas, useSelected } from '../context.ts';
import { holds } from '../find.ts';
import { edgePath } from '../picture/edge.tsx';
import { ProblemBadge } from '../picture/nodes.tsx';
import { count } from '../words.ts';
import type { BundleEdge, GroupNode } from './elements.ts';

/** A group of flows: from afar a box with what it counts, nearer a frame around them. */
export const GroupBox = memo(({ data: { frame, isFar } }: NodeProps<GroupNode>) => {
  const { group, flows, problems } = frame;
  const canvas = useCanvas();
  const isSelected = useSelected(group.id);
  const holdsSelected = useStore(canvas.selected, (at) => at !== undefined && group.flows.includes(flowOf(at)));
  const found = useStore(canvas.sought, (sought) =>
    sought === '' ? flows.length : flows.filter((name) => holds(name, sought)).length,
  );
  const { paused, failed } = useRuns(flows);
  const states = [
    isFar ? 'far' : 'near',
    paused > 0 && 'paused',
    failed > 0 && 'failed',
    (isSelected || (isFar && holdsSelected)) && 'selected',
    found === 0 && 'dim',
  ];
  const all = count(flows.length, 'flow');
  return (
    <section className={['group-box', ...states].filter(Boolean).join(' ')} data-place={isFar ? group.id : undefined}>
      <Handle type="target" id="in" position={Position.Left} className="port" isConnectable={false} />
      <header data-place={group.id} title={`${group.name}, ${all}`}>
        <Icon name={group.by === 'folder' ? 'folder' : 'flows'} />
        <b className="ellipsis">{group.name}</b>
        <small>{found === flows.length ? all : `${found} of ${all}`}</small>
        <ProblemBadge problems={problems} />
        {paused > 0 && (
          <span className="badge paused-ink" title={`${count(paused, 'flow')} paused`}>
            <Icon name="pause" label="paused" />
            {paused}
          </span>
        )}
        {failed > 0 && (
          <span className="badge error" title={`the newest run of ${count(failed, 'flow')} failed`}>
            <Icon name="bug" label="failed runs" />
            {failed}
          </span>
        )}
      </header>
      <Handle type="source" id="out" position={Position.Right} className="port" isConnectable={false} />
    </section>
  );
});

/** A line between a connector and a group, wider where more flows are behind it. */
export const BundleLine = memo(({ data, ...ends }: EdgeProps<BundleEdge>) => {
  const { direction, group, connector, count: flows, isGhost } = data!.bundle;
  const isActive = useStore(useCanvas().selected, (at) => at === group || at === connector);
  const states = [isActive && 'active', isGhost && 'ghost'];
  return (
    <path
      className={['edge bundle', ...states].filter(Boolean).join(' ')}
      style={{ strokeWidth: Math.min(widest, 1.5 + Math.log2(flows) / 2) }}
      d={edgePath(ends, { direction, track: 0 })}
    >
      <title>{count(flows, 'flow')}</title>
    </path>
  );
});

/** Pixels of a line with all flows behind it. */
const widest = 5;

/** The id of the flow of a place: stages and rules have theirs behind it. */
function flowOf(id: string): string {
  const end = id.indexOf('/');
  return end < 0 ? id : id.slice(0, end);
}

/** How many of some flows are paused, and of how many the newest run failed. */
function useRuns(flows: readonly string[]): { readonly paused: number; readonly failed: number } {
  const { model } = debugOf(useStudio());
  const subscribe = useCallback(
    (listen: () => void) => {
      const stops = [model.state.subscribe(listen), model.focused.subscribe(listen)];
      return () => {
        for (const stop of stops) stop();
      };
    },
    [model],
  );
  // Numbers in a text, so that the same ones draw nothing again.
  const both = useSyncExternalStore(subscribe, () => {
    let [paused, failed] = [0, 0];
    for (const flow of flows) {
      const run = model.runOf(flow);
      if (run?.isPaused === true) paused++;
      else if (run?.ended?.error) failed++;
    }
    return `${paused} ${failed}`;
  });
  const [paused = 0, failed = 0] = both.split(' ').map(Number);
  return { paused, failed };
}
