import { CommandError } from './command-error.ts';
import type { Fields } from './wire.ts';

/** What `configureFailPoint` says of `failCommand`, as far as tests use it. */
interface FailPoint {
  readonly commands: readonly string[];
  /** Times that it still fails; infinite with `alwaysOn`. */
  left: number;
  readonly data: Fields;
}

/** What becomes of a command that a fail point names. */
export interface Disturbance {
  /** Waits, as long as the fail point says or until it is switched off. */
  readonly wait: Promise<void>;
  /** The connection ends without an answer, before the command is executed. */
  readonly closes: boolean;
  readonly error: CommandError | undefined;
}

/** The fail point `failCommand` of a server that was started with `enableTestCommands`. */
export class FailPoints {
  #point: FailPoint | undefined;
  #wake: (() => void)[] = [];

  configure(command: Fields): Fields {
    const { mode, data } = command as { readonly mode: 'off' | 'alwaysOn' | { readonly times: number }; data?: Fields };
    for (const wake of this.#wake.splice(0)) wake();
    const left = typeof mode === 'object' ? mode.times : mode === 'off' ? 0 : Number.POSITIVE_INFINITY;
    const commands = (data?.['failCommands'] ?? []) as readonly string[];
    this.#point = left > 0 ? { commands, left, data: data ?? {} } : undefined;
    return {};
  }

  of(name: string, { $db, [name]: collection }: Fields): Disturbance | undefined {
    const point = this.#point;
    if (point === undefined || point.left <= 0 || !point.commands.includes(name)) return undefined;
    const { namespace = `${$db}.${collection}` } = point.data;
    if (namespace !== `${$db}.${collection}`) return undefined;
    point.left--;
    const { blockConnection, blockTimeMS, closeConnection, errorCode, errorLabels } = point.data;
    return {
      wait: blockConnection === true ? this.#block(Number(blockTimeMS)) : Promise.resolve(),
      closes: closeConnection === true,
      error:
        errorCode === undefined
          ? undefined
          : new CommandError(Number(errorCode), 'FailPoint', 'Failing command via failCommand failpoint', {
              ...(errorLabels !== undefined && { errorLabels }),
            }),
    };
  }

  /** Releases what waits. */
  end(): void {
    this.configure({ mode: 'off' });
  }

  async #block(milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, milliseconds);
    this.#wake.push(resolve);
    await promise;
    clearTimeout(timer);
  }
}
