import type { Resource } from '../../../foundation/contracts/plan.ts';
import type { LockGrant, SyncStore } from '../../../platform/sync/store.ts';
import type { ReportSimulated } from './simulated-call.ts';

export function isSyncStore(resource: Resource): resource is SyncStore {
  const methods: readonly (keyof SyncStore)[] = ['acquire', 'takePermit', 'raiseSequence', 'signal'];
  return methods.every((method) => method in resource);
}

/**
 * Shared state that can be read: locks and permits are granted without being taken, numbers and signals not stored. So
 * a dry run neither waits for others nor makes them wait.
 */
export class SimulatedSync implements SyncStore {
  readonly name: string;
  readonly processLocal: boolean;
  readonly #store: SyncStore;
  readonly #report: ReportSimulated;

  constructor(store: SyncStore, report: ReportSimulated) {
    this.name = store.name;
    this.processLocal = store.processLocal;
    this.#store = store;
    this.#report = report;
  }

  open(signal: AbortSignal): Promise<void> {
    return this.#store.open(signal);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  acquire(key: string): LockGrant {
    return this.#simulate('lock', { key }, { owner: 'dry-run', token: 0n });
  }

  extend(): boolean {
    return true;
  }

  release(): boolean {
    return true;
  }

  takePermit(pool: string): string {
    return this.#simulate('permit', { key: pool }, 'dry-run');
  }

  extendPermit(): boolean {
    return true;
  }

  returnPermit(): boolean {
    return true;
  }

  permitsTaken(pool: string) {
    return this.#store.permitsTaken(pool);
  }

  sequence(key: string) {
    return this.#store.sequence(key);
  }

  raiseSequence(key: string, value: bigint): boolean {
    return this.#simulate('sequence', { key, value }, true);
  }

  signal(key: string): void {
    this.#simulate('signal', { key }, undefined);
  }

  signalled(key: string) {
    return this.#store.signalled(key);
  }

  onSignal(key: string, wake: () => void) {
    return this.#store.onSignal(key, wake);
  }

  #simulate<T>(operation: string, what: Readonly<Record<string, unknown>>, result: T): T {
    this.#report({ connector: this.name, operation, answer: { dry_run: true, operation, ...what } });
    return result;
  }
}
