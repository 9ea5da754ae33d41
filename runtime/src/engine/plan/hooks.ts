import type { RunFlow } from '../../foundation/contracts/plan.ts';
import type { CompiledHook, HookName } from '../auth/hooks/hooks.ts';
import type { AuthSettings } from '../auth/settings.ts';
import type { Expressions } from './expressions.ts';

/** What hooks are compiled with. */
export interface HookParts {
  readonly expressions: Expressions;
  /** Filled later. */
  readonly flows: ReadonlyMap<string, RunFlow>;
}

/** The hooks that are configured, by their names. */
export function compileHooks(
  { hooks }: Pick<AuthSettings, 'hooks'>,
  { expressions, flows }: HookParts,
): ReadonlyMap<HookName, CompiledHook> {
  const compiled = new Map<HookName, CompiledHook>();
  for (const [word, hook] of Object.entries(hooks ?? {})) {
    if (hook === undefined) continue;
    const { flow, condition, on_error: onError } = hook;
    const expression = condition && expressions.expression(condition, `condition of hook ${word}`);
    compiled.set(word as HookName, {
      flow,
      run: (message) => {
        const run = flows.get(flow);
        if (run === undefined) throw new Error(`there is no flow "${flow}"`);
        return run(message);
      },
      condition: expression && ((caller) => expression.isTrue({ auth: caller, constants: {}, ctx: {} })),
      refuses: onError === 'fail',
    });
  }
  return compiled;
}
