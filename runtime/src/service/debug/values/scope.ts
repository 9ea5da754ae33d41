import type { Frame } from '../../../engine/flow/message/frame.ts';
import { mask } from '../../../foundation/observe/mask.ts';
import type { Secrecy } from './snapshot.ts';

/** What a client's expressions read at a stop: the variables of the flow without what is never shown. */
export class ClientScope {
  readonly #frame: Frame;
  readonly #secrecy: Secrecy;

  /** `scope` is what the flow's own expressions read at that place, `variables` are those that exist only there. */
  constructor(scope: object, secrecy: Secrecy, variables: readonly string[] = []) {
    this.#frame = scope as Frame;
    this.#secrecy = secrecy;
    for (const name of variables) {
      const value = (scope as Readonly<Record<string, unknown>>)[name];
      Object.defineProperty(this, name, { value: secrecy.hides(name) ? mask : secrecy.masked(value) });
    }
  }

  get input(): unknown {
    return this.#secrecy.masked(this.#frame.input);
  }

  get output(): unknown {
    return this.#secrecy.masked(this.#frame.output);
  }

  get step(): unknown {
    return this.#secrecy.masked(this.#frame.step);
  }

  get enriched(): unknown {
    return this.#secrecy.masked(this.#frame.enriched);
  }

  get captured(): unknown {
    return this.#secrecy.masked(this.#frame.captured);
  }

  get error(): unknown {
    return this.#secrecy.masked(this.#frame.error);
  }

  get lock(): unknown {
    return this.#secrecy.masked(this.#frame.lock);
  }

  get auth(): unknown {
    return this.#secrecy.masked(this.#frame.auth);
  }

  get constants(): unknown {
    return this.#secrecy.masked(this.#frame.constants);
  }

  get ctx(): unknown {
    return this.#frame.ctx;
  }
}
