import type { Methods, Params, Result } from '@svc/protocol/wire';
import type { DebugSession } from '../debug/session/session.ts';
import { debugOf } from '../debug/session/session.ts';
import { partOfStudio } from '../shell/studio.ts';
import { Store } from '../state/store.ts';

/**
 * What a person may change in the attached service. It is locked until the person unlocks it, and locked again when the
 * session ends; a connection that was lost and is there again is unlocked as it was.
 */
export class Changes {
  readonly isUnlocked = new Store(false);
  readonly #debug: Pick<DebugSession, 'call' | 'model'>;

  constructor(debug: Pick<DebugSession, 'call' | 'model'>) {
    this.#debug = debug;
    let before = debug.model.state.value.connection;
    debug.model.state.subscribe(() => {
      const { connection } = debug.model.state.value;
      if (connection === before) return;
      before = connection;
      if (connection === 'none' || connection === 'connecting') this.isUnlocked.set(false);
      if (connection === 'attached' && this.isUnlocked.value) this.unlock().catch(() => this.isUnlocked.set(false));
    });
  }

  /** Why it cannot be unlocked now; undefined where it can be. */
  get obstacle(): string | undefined {
    const { connection, capabilities } = this.#debug.model.state.value;
    if (connection !== 'attached') return 'A running service is needed.';
    return capabilities.has('unlock') ? undefined : 'The running service cannot do it.';
  }

  async unlock(): Promise<void> {
    await this.#debug.call('debug.unlock', {});
    this.isUnlocked.set(true);
  }

  async lock(): Promise<void> {
    this.isUnlocked.set(false);
    await this.#debug.call('debug.lock', {});
  }

  /** Calls a method that changes the state of the service; rejects while that is locked. */
  call<M extends keyof Methods>(method: M, params: Params<M>): Promise<Result<M>> {
    if (!this.isUnlocked.value) return Promise.reject(new Error('Unlock changes first.'));
    return this.#debug.call(method, params);
  }
}

export const changesOf = partOfStudio((studio) => new Changes(debugOf(studio)));
