import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import { groupedDigits } from '../values/values.ts';
import { useDebugger } from './debugger.ts';
import { debugOf } from './session/session.ts';
import type { Thread } from './session/thread.ts';

/** Where the thread in focus is; a click shows the place. */
export function PausedStatus() {
  const owner = useDebugger();
  const { model } = debugOf(owner.studio);
  useStore(model.state);
  useStore(model.focused);
  const thread = model.current;
  if (!thread?.isPaused) return null;
  return (
    <button type="button" className="status-item paused-ink" onClick={() => owner.revealThread(thread)}>
      <Icon name="pause" />
      {thread.flow}: {placeOf(thread)}
    </button>
  );
}

/** The service that is attached. */
export function AddressStatus() {
  const { connection, address } = useStore(debugOf(useDebugger().studio).model.state);
  if (connection === 'none' || address === undefined) return null;
  return (
    <span className={connection === 'lost' ? 'status-item ink warning' : 'status-item wide-only'}>
      <Icon name={connection === 'lost' ? 'warning' : 'plug'} />
      {shownAddress(address)}
      {connection === 'lost' && ', connection lost'}
      {connection === 'connecting' && ', attaching'}
    </span>
  );
}

/** Says that the trace has gaps. */
export function DroppedStatus() {
  const dropped = useStore(debugOf(useDebugger().studio).model.state, (state) => state.dropped);
  if (dropped === 0) return null;
  const count = groupedDigits(dropped);
  return (
    <span className="status-item ink warning">
      <Icon name="warning" />
      {count} trace events not shown (client too slow); stops are never dropped
    </span>
  );
}

export function placeOf({ stage, name, rule, reason }: Thread): string {
  const block = name === '' ? stage : `${stage} ${name}`;
  if (reason === 'drop') return `dropped by ${block}`;
  if (reason === 'failure') return `${block}${rule ? `, ${rule.target}` : ''} failed`;
  return rule ? `${block}, ${rule.target}` : `before ${block}`;
}

function shownAddress(address: string): string {
  return address.includes('://') ? address.replace(/\/debug$/, '') : `ws://${address}`;
}
