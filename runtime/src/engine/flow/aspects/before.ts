import { asFailure } from '../../../foundation/errors/classify.ts';
import type { Frame } from '../message/frame.ts';
import type { RuleWatch, StepPart } from '../message/part.ts';
import { Restart } from '../message/restart.ts';
import { behind } from '../message/watched.ts';
import { whenDone } from '../message/when-done.ts';
import type { FlowModel } from '../model.ts';
import type { FlowTools } from '../tools.ts';
import { compileAction } from './action.ts';
import { compileAspect } from './compiled.ts';
import { compileLimit } from './rate-limit.ts';
import type { AspectDeclaration } from './selection.ts';

/** An aspect in front of the flow: its limit, then its action. Where one of them fails, so does the flow. */
export function beforeAspect(declaration: AspectDeclaration, model: FlowModel, tools: FlowTools): StepPart {
  const aspect = compileAspect(declaration, model, tools);
  const { name, title, values, firstRule } = aspect;
  const limit = values.rate_limit && compileLimit(values.rate_limit, name, `${title}: rate_limit`, tools);
  const action = values.action && compileAction(values.action, title, false, model, tools);
  const place = aspect.place(action?.mapping?.rules);

  /** A limit that is reached is not a failure of the aspect. */
  const fail = (error: unknown): never => {
    if (!(error instanceof Restart) && asFailure(error).code !== 'rate_limited') aspect.count();
    throw error;
  };
  const run = (frame: Frame, watch: RuleWatch | undefined): undefined | Promise<undefined> => {
    const scope = aspect.scope(frame);
    const done = whenDone(aspect.passes(scope, watch), (applies) => {
      if (!applies) return undefined;
      try {
        const act = () => whenDone(action?.run(frame, scope, watch && behind(watch, firstRule)), () => undefined);
        const acted = whenDone(limit?.(scope), act);
        return acted instanceof Promise ? acted.catch(fail) : undefined;
      } catch (error) {
        return fail(error);
      }
    });
    return done;
  };
  return {
    stage: 'aspect',
    name,
    title,
    rules: place.rules,
    step: (frame) => run(frame, undefined),
    ruled: (watch) => (frame) => run(frame, watch),
  };
}
