import { type Auth, anonymous } from '../../../foundation/contracts/message.ts';
import type { RunFlow } from '../../../foundation/contracts/plan.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import { Refusal } from '../refusal.ts';
import type { WrittenAuth } from '../settings.ts';

export type HookName = Exclude<keyof NonNullable<WrittenAuth['hooks']>, symbol>;

/** What the flow of a hook reads, as `auth.<name>` and as `input.auth.<name>`. */
export type HookFields = Readonly<Record<string, unknown>>;

/** Whether the condition of a hook holds; throws when it cannot be evaluated. */
export type HookCondition = (auth: Auth) => boolean;

/** A hook that is configured. */
export interface CompiledHook {
  readonly flow: string;
  readonly run: RunFlow;
  readonly condition: HookCondition | undefined;
  readonly refuses: boolean;
}

/** What hooks need of the service. */
export interface HookServices {
  readonly log: Log;
  /** Runs work that no caller waits for, to its end. */
  readonly background: (name: string, work: () => Promise<unknown>) => void;
}

/**
 * Runs the flows of hooks. What may refuse is awaited; everything else runs beside the answer, so that the time of an
 * answer does not say whether there is an account.
 */
export class Hooks {
  readonly #hooks: ReadonlyMap<HookName, CompiledHook>;
  readonly #services: HookServices;

  constructor(hooks: ReadonlyMap<HookName, CompiledHook>, services: HookServices) {
    this.#hooks = hooks;
    this.#services = services;
  }

  has(name: HookName): boolean {
    return this.#hooks.has(name);
  }

  /** Runs the flow of a hook that may refuse. Throws a Refusal with this code where it does. */
  async before(name: HookName, fields: HookFields, code: string, status: number): Promise<void> {
    const hook = this.#hooks.get(name);
    if (hook === undefined) return;
    try {
      await this.#run(name, hook, fields);
    } catch (error) {
      this.#services.log.warn(`the flow of hook ${name} failed`, { flow: hook.flow, error, refused: hook.refuses });
      if (hook.refuses) throw new Refusal(status, code, 'this service refuses the request');
    }
  }

  /** Runs the flow of a hook beside the answer. A failure of it is logged. */
  after(name: HookName, fields: HookFields): void {
    const hook = this.#hooks.get(name);
    if (hook === undefined) return;
    this.#services.background(`hook ${name}`, async () => {
      try {
        await this.#run(name, hook, fields);
      } catch (error) {
        this.#services.log.error(`the flow of hook ${name} failed`, { flow: hook.flow, error });
      }
    });
  }

  /** Does work that no answer waits for: nothing of it is begun before the answer is on its way. A failure of it is logged. */
  beside(name: string, work: () => Promise<unknown>): void {
    this.#services.background(name, async () => {
      await new Promise(setImmediate);
      try {
        await work();
      } catch (error) {
        this.#services.log.error(`${name} failed`, { error });
      }
    });
  }

  async #run(event: HookName, hook: CompiledHook, fields: HookFields): Promise<void> {
    const { user_id: userId, email } = fields;
    const read = {
      ...anonymous,
      user_id: typeof userId === 'string' ? userId : '',
      email: typeof email === 'string' ? email : '',
      event,
      ...fields,
    };
    if (hook.condition !== undefined && !this.#holds(event, hook.condition, read)) return;
    const input = Object.assign(Object.create(null) as Record<string, unknown>, { auth: { event, ...fields } });
    await hook.run({ input, auth: read, signal: () => undefined, addressed: [] });
  }

  #holds(event: HookName, condition: HookCondition, auth: Auth): boolean {
    try {
      return condition(auth);
    } catch (error) {
      this.#services.log.warn(`the condition of hook ${event} cannot be evaluated: its flow does not run`, { error });
      return false;
    }
  }
}
