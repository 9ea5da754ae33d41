import { Deadline } from '../../intake/deadline.ts';

/** The time of one call: it ends when it is over, or when its caller has gone. A debugger may stop it meanwhile. */
export class CallTime {
  /** Milliseconds; undefined without a limit. */
  readonly whole: number | undefined;
  /** The caller has gone, or its time is over. */
  isAborted = false;
  readonly #deadline: Deadline | undefined;
  #controller: AbortController | undefined;

  constructor(whole: number | undefined, expired: () => void) {
    this.whole = whole;
    const expire = () => {
      expired();
      this.abort();
    };
    this.#deadline = whole === undefined ? undefined : new Deadline(whole, expire);
  }

  /** Made when it is asked for. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.isAborted) this.#controller.abort();
    return this.#controller.signal;
  }

  /** The caller has gone, or the service stops. */
  abort(): void {
    this.end();
    this.isAborted = true;
    this.#controller?.abort();
  }

  /** The call is answered. */
  end(): void {
    this.#deadline?.end();
  }

  hold(): () => void {
    return this.#deadline?.hold() ?? (() => undefined);
  }
}
