import type { WorkflowEntry } from '@svc/protocol/wire';
import { Icon } from '../../theme/icon.tsx';
import { fromNow, localTime } from '../moments.ts';
import { lookOf } from './look.ts';

interface TableProps {
  readonly rows: readonly WorkflowEntry[];
  readonly chosen: string | undefined;
  readonly now: number;
  readonly onChoose: (id: string) => void;
}

/** Workflows, the newest first; a click shows one. */
export function WorkflowTable({ rows, chosen, now, onChoose }: TableProps) {
  return (
    <table className="table workflow-table" aria-label="Workflows">
      <colgroup>
        <col className="of-status" />
        <col className="of-id" />
        <col className="of-flow" />
        <col className="of-step" />
        <col className="of-time" />
      </colgroup>
      <thead>
        <tr>
          <th>Status</th>
          <th>Workflow</th>
          <th>Flow</th>
          <th>Step</th>
          <th className="end">Began</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row key={row.id} row={row} isChosen={row.id === chosen} now={now} onChoose={onChoose} />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps {
  readonly row: WorkflowEntry;
  readonly isChosen: boolean;
  readonly now: number;
  readonly onChoose: (id: string) => void;
}

function Row({ row, isChosen, now, onChoose }: RowProps) {
  const { id, flow, status, step, awaits, resumesAt, startedAt, cancelRequested } = row;
  const { icon, ink, text } = lookOf(status);
  const began = Date.parse(startedAt);
  const waits =
    awaits !== null
      ? `for ${awaits}`
      : resumesAt === null
        ? undefined
        : `continues ${fromNow(Date.parse(resumesAt), now)}`;
  return (
    <tr className={isChosen ? 'selected' : undefined} onClick={() => onChoose(id)}>
      <td>
        <span className={`outcome ${ink}`}>
          <Icon name={icon} />
          {cancelRequested ? 'Cancelling' : text}
        </span>
      </td>
      <td className="mono">
        <button
          type="button"
          className="ellipsis choose"
          aria-pressed={isChosen}
          title={id}
          onClick={() => onChoose(id)}
        >
          {id}
        </button>
      </td>
      <td className="mono" title={flow}>
        {flow}
      </td>
      <td title={[step, waits].filter(Boolean).join(', ')}>
        <span className="mono">{step}</span>
        {waits !== undefined && <span className="waits-for">{waits}</span>}
      </td>
      <td className="numeric end" title={localTime(began, now)}>
        {fromNow(began, now)}
      </td>
    </tr>
  );
}
