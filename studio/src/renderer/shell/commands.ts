import { Store } from '../state/store.ts';

/** Something a person can do, from the palette, by keys, from a menu or a button. */
export interface Command {
  /** `debug.continue`. */
  readonly id: string;
  /** What the palette shows, such as `Debug: Continue`. */
  readonly title: string;
  /** Default keys, such as `mod+shift+p` or `f5`; `mod` is Command on macOS, Control elsewhere. */
  readonly keys?: string | undefined;
  /** Absent: always. */
  readonly enabled?: (() => boolean) | undefined;
  /** Why it cannot run now, for the tooltip of its button: a part of a sentence, such as `nothing is paused`. */
  readonly whyNot?: (() => string) | undefined;
  readonly run: (argument?: unknown) => void | Promise<void>;
}

/** Commands that do nothing without an argument: they are in no list. */
export const needArgument: ReadonlySet<string> = new Set(['file.open']);

/** Every command by its id. */
export class Commands {
  readonly all = new Store<ReadonlyMap<string, Command>>(new Map());
  /** Called when a command fails; the shell shows it. */
  onFailure: (error: unknown) => void = (error) => console.error(error);

  add(...commands: readonly Command[]): void {
    const all = new Map(this.all.value);
    for (const command of commands) {
      if (all.has(command.id)) throw new Error(`there are two commands ${command.id}`);
      all.set(command.id, command);
    }
    this.all.set(all);
  }

  isEnabled(id: string): boolean {
    return this.all.value.get(id)?.enabled?.() ?? this.all.value.has(id);
  }

  /** Runs a command when it is enabled. A failure is passed to `onFailure`, never thrown. */
  run(id: string, argument?: unknown): void {
    const command = this.all.value.get(id);
    if (command === undefined || command.enabled?.() === false) return;
    Promise.resolve()
      .then(() => command.run(argument))
      .catch((error: unknown) => this.onFailure(error));
  }
}
