import type { Difference } from '@svc/protocol/language';
import { Handle, type NodeProps, Position } from '@xyflow/react';
import { memo, use } from 'react';
import { ConnectorIcon } from '../../plugins/connector-icon.tsx';
import { useStore } from '../../state/use-store.ts';
import { lookOfNode } from '../../theme/connector-kind.ts';
import { Icon } from '../../theme/icon.tsx';
import { useCanvas, useSelected, useThread } from '../context.ts';
import { holds } from '../find.ts';
import type { ConnectorNode, FlowNode, FlowPort, GraphEdge, ProblemCount } from '../graph/drawn.ts';
import { closedHeight, firstPort } from '../graph/sizes.ts';
import { titleInLane } from '../graph/titles.ts';
import { ShowsStages } from '../groups/detail.ts';
import { AspectMark } from './aspect-mark.tsx';
import type { CanvasNode } from './canvas-node.ts';
import { firstPortAlone } from './elements.ts';
import { InnerLines } from './inner-lines.tsx';
import { Lanes } from './lanes.tsx';
import { StageStrip } from './stage-strip.tsx';

/** Whether what is sought is not in these words, so that it steps back. */
function useIsDim(...words: readonly string[]): boolean {
  return useStore(useCanvas().sought, (sought) => sought !== '' && !words.some((word) => holds(word, sought)));
}

export const ConnectorBox = memo(({ data: { node } }: NodeProps<CanvasNode>) => {
  const { connector, side, isRepeated, detail, problems, difference } = node as ConnectorNode;
  const { name, id, declared, word } = connector;
  // A flow can be made between connectors alone.
  const isConnectable = word === 'connector';
  const isSelected = useSelected(id);
  const isDim = useIsDim(name, detail);
  const look = declared ? lookOfNode(connector) : ({ name: 'error', className: 'error' } as const);
  const isAlone = useAlone();
  const states = [
    side,
    isRepeated && 'ref',
    !declared && 'ghost',
    isSelected && 'selected',
    isDim && 'dim',
    difference && `diff ${difference}`,
  ];
  return (
    <div className={['connector-node', look.className, ...states].filter(Boolean).join(' ')} data-place={id}>
      <Handle
        type="target"
        id="in"
        position={isAlone ? Position.Top : Position.Left}
        className={side === 'target' ? 'port' : 'port spare'}
        isConnectable={isConnectable}
      />
      <span className="tile large">
        <ConnectorIcon name={look.name} file={connector.icon} />
      </span>
      <span className="label">
        <b>{name}</b>
        <small>{detail || connector.type}</small>
      </span>
      <DifferenceBadge difference={difference} />
      <ProblemBadge problems={declared ? problems : none} />
      <Handle
        type="source"
        id="out"
        position={isAlone ? Position.Bottom : Position.Right}
        className={side === 'source' ? 'port' : 'port spare'}
        isConnectable={isConnectable}
      />
    </div>
  );
});

export const FlowBox = memo(({ data: { node } }: NodeProps<CanvasNode>) => {
  const flow = node as FlowNode;
  const canvas = useCanvas();
  // Of flows that are put together, lines lead to their group until they are looked at.
  const isGrouped = useStore(canvas.drawn, ({ groups }) => groups !== undefined);
  const isSelected = useStore(canvas.selected, (at) => at?.split('/')[0] === flow.id);
  const isAlone = useAlone();
  if (isGrouped && !flow.isOpen && !isSelected) return <Pill node={flow} />;
  return (
    <>
      <Handle
        type="target"
        id="in"
        position={isAlone ? Position.Top : Position.Left}
        className="port"
        isConnectable={false}
        style={isAlone ? { left: firstPortAlone } : { top: flow.isOpen ? firstPort : closedHeight / 2 }}
      />
      {flow.isOpen ? <OpenFlow node={flow} /> : <Pill node={flow} />}
      {flow.ports.map((port) => (
        <PortDot key={port.id} port={port} flow={flow.flow.id} />
      ))}
    </>
  );
});

/** Whether one flow is drawn alone, from above downwards. */
function useAlone(): boolean {
  return useStore(useCanvas().drawn, ({ alone }) => alone !== undefined);
}

function PortDot({ port, flow }: { readonly port: FlowPort; readonly flow: string }) {
  const canvas = useCanvas();
  const isAlone = useAlone();
  const isActive = useStore(canvas.selected, (selected) => isEdgeActive(selected, { ...port, flow }));
  return (
    <Handle
      type="source"
      id={port.id}
      position={isAlone ? Position.Bottom : Position.Right}
      className={isActive ? 'port active' : 'port'}
      isConnectable={false}
      style={isAlone ? { left: port.left } : { top: port.top }}
    />
  );
}

/** An edge is lit while the flow or the connector at its ends is selected, or a stage that names the connector. */
export function isEdgeActive(
  selected: string | undefined,
  { flow, connector, stages }: Pick<GraphEdge, 'flow' | 'connector' | 'stages'>,
): boolean {
  if (selected === undefined) return false;
  return selected === flow || selected === connector || stages.includes(selected);
}

function Pill({ node: { flow, detail, problems, aspects, difference } }: { readonly node: FlowNode }) {
  const isSelected = useSelected(flow.id);
  const thread = useThread(flow.name);
  const isPaused = thread?.isPaused === true;
  const hasFailed = Boolean(thread?.ended?.error);
  const isDim = useIsDim(flow.name, detail);
  const showsStages = use(ShowsStages) && flow.stages.length > 0;
  const states = [
    isPaused && 'paused',
    hasFailed && 'failed',
    isSelected && 'selected',
    isDim && 'dim',
    difference && `diff ${difference}`,
  ];
  return (
    <div className={['flow-node', ...states].filter(Boolean).join(' ')} data-place={flow.id}>
      <Icon name="flow" />
      <span className="label">
        <b>{flow.name}</b>
        {showsStages ? <StageStrip stages={flow.stages} /> : <small>{detail}</small>}
      </span>
      <DifferenceBadge difference={difference} />
      <AspectMark aspects={aspects} />
      <ProblemBadge problems={problems} />
      {isPaused && <Icon name="pause" className="paused-ink ink" label="paused" />}
      {hasFailed && <Icon name="error" className="error ink" label="the newest run failed" />}
    </div>
  );
}

function OpenFlow({ node }: { readonly node: FlowNode }) {
  const { flow, detail, problems, aspects, height, difference } = node;
  const isSelected = useSelected(flow.id);
  const isDim = useIsDim(flow.name, detail, ...flow.stages.map(({ name, word }) => `${word} ${name}`));
  const thread = useThread(flow.name);
  const isPaused = thread?.isPaused === true;
  const place = flow.stages.find(({ stage, name }) => stage === thread?.stage && name === thread?.name);
  const at = thread?.rule?.target ?? (place && titleInLane(place, flow).title) ?? thread?.stage;
  const hasFailed = Boolean(thread?.ended?.error);
  const states = [
    isPaused && 'paused',
    hasFailed && 'failed',
    isSelected && 'selected',
    isDim && 'dim',
    difference && `diff ${difference}`,
  ];
  return (
    <article className={['open-flow', ...states].filter(Boolean).join(' ')} style={{ height }}>
      <header data-place={flow.id}>
        <span className="fold" data-fold={flow.id} title="Close (Enter)">
          <Icon name="chevron-down" size="small" />
        </span>
        {isPaused ? <Icon name="pause" className="paused-ink ink" label="paused" /> : <Icon name="flow" />}
        <b className="ellipsis">{flow.name}</b>
        <small className="ellipsis">{detail}</small>
        <span className="right" />
        {isPaused && <span className="badge paused-ink">paused at {at}</span>}
        {hasFailed && (
          <span className="badge error" title={thread?.ended?.error}>
            <Icon name="error" label="failed" />
            failed
          </span>
        )}
        <DifferenceBadge difference={difference} />
        <AspectMark aspects={aspects} />
        <ProblemBadge problems={problems} />
      </header>
      <InnerLines flow={flow} thread={thread} />
      <Lanes node={node} thread={thread} />
    </article>
  );
}

function DifferenceBadge({ difference }: { readonly difference: Difference | undefined }) {
  if (difference === undefined) return null;
  return <span className={`badge line git-mark git-${difference}`}>{difference}</span>;
}

const none: ProblemCount = { errors: 0, warnings: 0 };

export function ProblemBadge({ problems: { errors, warnings } }: { readonly problems: ProblemCount }) {
  return (
    <>
      {errors > 0 && (
        <span className="badge error" data-problems title={errors === 1 ? '1 error' : `${errors} errors`}>
          <Icon name="error" label="errors" />
          {errors}
        </span>
      )}
      {warnings > 0 && (
        <span className="badge warning" data-problems title={warnings === 1 ? '1 warning' : `${warnings} warnings`}>
          <Icon name="warning" label="warnings" />
          {warnings}
        </span>
      )}
    </>
  );
}
