import { useState } from 'react';
import { useStore } from '../../state/use-store.ts';
import { Icon } from '../../theme/icon.tsx';
import { useDebugger } from '../debugger.ts';
import { debugOf } from '../session/session.ts';
import { allKinds, failureKinds } from './failure-stops.ts';

/** Stops that have no place of their own: where a flow fails, by kind of failure, and where it drops a message. */
export function FailureStopRows() {
  const { studio } = useDebugger();
  const debug = debugOf(studio);
  const stops = debug.failureStops;
  const { isOnFailure, kinds, isOnDrop } = useStore(stops.state);
  const { connection, capabilities } = useStore(debug.model.state);
  const [isOpen, setOpen] = useState(false);
  const lacks = (capability: string) =>
    connection === 'attached' && !capabilities.has(capability) ? 'The running service cannot do it.' : undefined;
  const chosen = isOnFailure && kinds.size < allKinds.length ? `${kinds.size} of ${allKinds.length}` : '';
  return (
    <ul aria-label="Stops without a place" className="failure-stops">
      <li className="row">
        <button
          type="button"
          className="twisty"
          aria-expanded={isOpen}
          aria-label="Kinds of failures"
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} size="small" />
        </button>
        <Check
          label="Stop when a flow fails"
          isOn={isOnFailure}
          reason={lacks('failure')}
          onChange={() => stops.toggleFailures()}
        />
        <span className="meta">{isOnFailure ? chosen : ''}</span>
      </li>
      {isOpen &&
        allKinds.map((kind) => (
          <li key={kind} className="row inner">
            <Check
              label={failureKinds[kind]}
              isOn={isOnFailure && kinds.has(kind)}
              reason={lacks('failureTypes')}
              onChange={() => (isOnFailure ? stops.toggleKind(kind) : stops.only(kind))}
            />
          </li>
        ))}
      <li className="row">
        <span className="lead" />
        <Check
          label="Stop when a message is dropped"
          isOn={isOnDrop}
          reason={lacks('drop')}
          onChange={() => stops.toggleDrops()}
        />
      </li>
    </ul>
  );
}

interface CheckProps {
  readonly label: string;
  readonly isOn: boolean;
  /** Why it cannot be chosen. */
  readonly reason: string | undefined;
  readonly onChange: () => void;
}

function Check({ label, isOn, reason, onChange }: CheckProps) {
  return (
    <label className="name" title={reason}>
      <input type="checkbox" checked={isOn} disabled={reason !== undefined && !isOn} onChange={onChange} />
      {label}
    </label>
  );
}
