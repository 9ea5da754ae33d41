import type { StoredWorkflow, WorkflowStore } from '../store/store.ts';
import { cancel, signal } from '../transitions.ts';
import type { WorkflowJournal } from './journal.ts';

/** What a process runs: as it was claimed, or as it has begun here. */
export type Held = Pick<StoredWorkflow, 'state' | 'cancelRequested' | 'version'>;

/** Does what was requested while no process ran the instance: a cancellation, or the signal that it waits for. */
export async function takeUp(
  { state, cancelRequested }: Held,
  store: WorkflowStore,
  journal: WorkflowJournal,
): Promise<void> {
  if (cancelRequested && cancel(state)) return journal.save(state);
  const { status, awaiting, id } = state;
  if (status !== 'waiting' || awaiting === undefined) return;
  const body = await store.pendingSignal(id, awaiting);
  if (body !== undefined && signal(state, awaiting, body)) await journal.saveTaking(state, awaiting);
}
