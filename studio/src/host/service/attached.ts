import type { ServiceState } from '../../shared/services.ts';
import type { Emit } from '../host.ts';
import { answersReady } from './service-runner.ts';

/** A service that another program runs. */
export interface Attachment {
  /** Its admin port on this machine. */
  readonly adminPort: number;
  /** Where its own servers listen. */
  readonly addresses: readonly string[];
}

const lookEvery = 500;

/** Follows a service that another program started: whether it is there is all that can be known of it. */
export class AttachedService {
  readonly #attachment: Attachment;
  readonly #emit: Emit;
  #state: ServiceState = { kind: 'starting' };
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(attachment: Attachment, emit: Emit) {
    this.#attachment = attachment;
    this.#emit = emit;
    void this.#look();
  }

  get state(): ServiceState {
    return this.#state;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const { adminPort, addresses } = this.#attachment;
    const isThere = await answersReady(adminPort);
    if (this.#isClosed) return;
    const { kind } = this.#state;
    // Its process is that of another program: 0 says that its process id is unknown.
    if (isThere && kind !== 'running')
      this.#become({ kind: 'running', debugAddress: `ws://127.0.0.1:${adminPort}/debug`, addresses, pid: 0 });
    else if (!isThere && kind === 'running')
      this.#become({ kind: 'stopped', reason: 'the service that the studio was attached to is gone' });
    this.#timer = setTimeout(() => void this.#look(), lookEvery).unref();
  }

  #become(state: ServiceState): void {
    this.#state = state;
    this.#emit('service.state', { state });
  }
}
