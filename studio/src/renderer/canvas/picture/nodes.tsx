import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { memo } from 'react';
import { useStore } from '../../state/use-store.ts';
import { lookOfNode } from '../../theme/connector-kind.ts';
import { Icon } from '../../theme/icon.tsx';
import { useCanvas, useSelected, useThread } from '../context.ts';
import { holds } from '../find.ts';
import type { ConnectorNode, FlowNode, GraphNode, ProblemCount } from '../graph/graph.ts';
import { Lanes } from './lanes.tsx';

export type CanvasNode = Node<{ readonly node: GraphNode }>;

/** Whether what is sought is not in these words, so that it steps back. */
function useIsDim(...words: readonly string[]): boolean {
  return useStore(useCanvas().sought, (sought) => sought !== '' && !words.some((word) => holds(word, sought)));
}

export const ConnectorBox = memo(({ data: { node } }: NodeProps<CanvasNode>) => {
  const { connector, side, isRepeated, detail, problems } = node as ConnectorNode;
  const { name, id, declared, word } = connector;
  // A flow can be made between connectors alone.
  const isConnectable = word === 'connector';
  const isSelected = useSelected(id);
  const isDim = useIsDim(name, detail);
  const look = declared ? lookOfNode(connector) : ({ name: 'error', className: 'error' } as const);
  const states = [isRepeated && 'ref', !declared && 'ghost', isSelected && 'selected', isDim && 'dim'];
  return (
    <div className={['connector-node', look.className, ...states].filter(Boolean).join(' ')} data-place={id}>
      <Handle
        type="target"
        id="in"
        position={Position.Left}
        className={side === 'target' ? 'port' : 'port spare'}
        isConnectable={isConnectable}
      />
      <span className="tile large">
        <Icon name={look.name} />
      </span>
      <span className="label">
        <b>{name}</b>
        <small>{detail || connector.type}</small>
      </span>
      <ProblemBadge problems={declared ? problems : none} />
      <Handle
        type="source"
        id="out"
        position={Position.Right}
        className={side === 'source' ? 'port' : 'port spare'}
        isConnectable={isConnectable}
      />
    </div>
  );
});

export const FlowBox = memo(({ data: { node } }: NodeProps<CanvasNode>) => {
  const flow = node as FlowNode;
  return (
    <>
      <Handle
        type="target"
        id="in"
        position={Position.Left}
        className="port"
        isConnectable={false}
        style={{ top: flow.isOpen ? 62 : 22 }}
      />
      {flow.isOpen ? <OpenFlow node={flow} /> : <Pill node={flow} />}
      {Object.entries(flow.ports).map(([target, top]) => (
        <FlowPort key={target} id={target} top={top} flow={flow.flow.id} />
      ))}
    </>
  );
});

function FlowPort({ id, top, flow }: { readonly id: string; readonly top: number; readonly flow: string }) {
  const canvas = useCanvas();
  const isActive = useStore(canvas.selected, (selected) => isEdgeActive(selected, flow, id.slice('target '.length)));
  return (
    <Handle
      type="source"
      id={id}
      position={Position.Right}
      className={isActive ? 'port active' : 'port'}
      isConnectable={false}
      style={{ top }}
    />
  );
}

/** An edge is lit while the flow or the connector at its ends is selected, or a stage that names the connector. */
export function isEdgeActive(
  selected: string | undefined,
  flow: string,
  connector: string,
  stages: readonly string[] = [],
): boolean {
  if (selected === undefined) return false;
  return selected === flow || selected === connector || stages.includes(selected);
}

function Pill({ node: { flow, detail, problems } }: { readonly node: FlowNode }) {
  const isSelected = useSelected(flow.id);
  const thread = useThread(flow.name);
  const isPaused = thread?.isPaused === true;
  const hasFailed = Boolean(thread?.ended?.error);
  const isDim = useIsDim(flow.name, detail);
  const states = [isPaused && 'paused', hasFailed && 'failed', isSelected && 'selected', isDim && 'dim'];
  return (
    <div className={['flow-node', ...states].filter(Boolean).join(' ')} data-place={flow.id}>
      <Icon name="flow" />
      <span className="label">
        <b>{flow.name}</b>
        <small>{detail}</small>
      </span>
      <ProblemBadge problems={problems} />
      {isPaused && <Icon name="pause" className="paused-ink ink" label="paused" />}
      {hasFailed && <Icon name="error" className="error ink" label="the newest run failed" />}
    </div>
  );
}

function OpenFlow({ node }: { readonly node: FlowNode }) {
  const { flow, detail, problems, height } = node;
  const isSelected = useSelected(flow.id);
  const isDim = useIsDim(flow.name, detail, ...flow.stages.map(({ name, word }) => `${word} ${name}`));
  const thread = useThread(flow.name);
  const isPaused = thread?.isPaused === true;
  const at = thread?.rule?.target ?? thread?.name ?? '';
  const hasFailed = Boolean(thread?.ended?.error);
  const states = [isPaused && 'paused', hasFailed && 'failed', isSelected && 'selected', isDim && 'dim'];
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
        {isPaused && <span className="badge paused-ink">paused at {at || thread.stage}</span>}
        {hasFailed && (
          <span className="badge error" title={thread?.ended?.error}>
            <Icon name="error" label="failed" />
            failed
          </span>
        )}
        <ProblemBadge problems={problems} />
      </header>
      <Lanes node={node} thread={thread} />
    </article>
  );
}

const none: ProblemCount = { errors: 0, warnings: 0 };

export function ProblemBadge({ problems: { errors, warnings } }: { readonly problems: ProblemCount }) {
  return (
    <>
      {errors > 0 && (
        <span className="badge error" title={errors === 1 ? '1 error' : `${errors} errors`}>
          <Icon name="error" label="errors" />
          {errors}
        </span>
      )}
      {warnings > 0 && (
        <span className="badge warning" title={warnings === 1 ? '1 warning' : `${warnings} warnings`}>
          <Icon name="warning" label="warnings" />
          {warnings}
        </span>
      )}
    </>
  );
}
