import type { Answered, Drop, Outcome } from '../../../foundation/contracts/outcome.ts';
import type { WatchedStage } from '../../../foundation/contracts/probe.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import type { Frame } from '../message/frame.ts';
import type { Announce, AroundPart, RuleWatch, Run } from '../message/part.ts';
import { behind } from '../message/watched.ts';
import { whenDone } from '../message/when-done.ts';
import type { FlowModel } from '../model.ts';
import { compileInvalidation } from '../stages/after/invalidation.ts';
import type { FlowTools } from '../tools.ts';
import { compileAction } from './action.ts';
import { compileAspect } from './compiled.ts';
import { compileAddition } from './response.ts';
import type { Ending } from './scope.ts';
import type { AspectDeclaration, SelectedAspects } from './selection.ts';

/** An aspect that follows the end of a flow, and can change nothing about it but add to an answer. It never fails. */
interface Follower {
  readonly place: WatchedStage;
  /** Returns the answer with its additions; for an ending without an answer, the unchanged ending. */
  readonly run: (
    frame: Frame,
    ending: Ending,
    reply: Answered | undefined,
    watch: RuleWatch | undefined,
  ) => Answered | undefined | Promise<Answered | undefined>;
}

export type Followers = Readonly<Record<'after' | 'on_error' | 'on_drop', readonly Follower[]>>;

export function compileFollowers(selected: SelectedAspects, model: FlowModel, tools: FlowTools): Followers {
  const compile = (each: AspectDeclaration) => compileFollower(each, model, tools);
  return {
    after: selected.after.map(compile),
    on_error: selected.on_error.map(compile),
    on_drop: selected.on_drop.map(compile),
  };
}

function compileFollower(declaration: AspectDeclaration, model: FlowModel, tools: FlowTools): Follower {
  const aspect = compileAspect(declaration, model, tools);
  const { name, title, values, firstRule } = aspect;
  const action = values.action && compileAction(values.action, title, true, model, tools);
  const place = { flow: model.name, aspect: name };
  const invalidate = values.invalidate && compileInvalidation(values.invalidate, place, `${title}: invalidate`, tools);
  const addition = values.response && compileAddition(values.response, title, tools);
  const behindAction = firstRule + (action?.mapping?.names.length ?? 0);
  return {
    place: aspect.place([...(action?.mapping?.rules ?? []), ...(addition?.mapping.rules ?? [])]),
    run: (frame, ending, reply, watch) => {
      const scope = aspect.scope(frame, reply === undefined ? ending : { reply });
      const act = () => whenDone(action?.run(frame, scope, watch && behind(watch, firstRule)), () => undefined);
      const drop = (): undefined | Promise<undefined> => whenDone(invalidate?.(scope), () => undefined);
      const add = (): typeof reply | Promise<typeof reply> =>
        addition === undefined || reply === undefined
          ? reply
          : addition.run(reply, scope, watch && behind(watch, behindAction));
      return whenDone(aspect.passes(scope, watch), (applies) => {
        if (!applies) return reply;
        const acted = aspect.attempt('the action of an aspect failed', act, undefined);
        const dropped = whenDone(acted, () => aspect.attempt('an aspect dropped no cache entries', drop, undefined));
        return whenDone(dropped, () => aspect.attempt('an aspect added nothing to the answer', add, reply));
      });
    },
  };
}

/** All aspects whose stages an editor or debugger shows, in the order in which they run. */
export function placesOf({ after, on_error: onError, on_drop: onDrop }: Followers): readonly WatchedStage[] {
  return [...after, ...onError, ...onDrop].map(({ place }) => place);
}

/**
 * Waits for the end of everything that follows, then runs the aspects for that ending: once for each message, however
 * often the flow is retried. Aspects for drops wait until it is clear that the drop counts.
 */
export function ending(followers: Followers, flow: string): AroundPart {
  const turn = (announce: Announce | undefined) => (next: Run) => surround(followers, flow, next, announce);
  return { title: 'aspects', around: turn(undefined), places: [], split: turn };
}

function surround(followers: Followers, flow: string, next: Run, announce: Announce | undefined): Run {
  const follow = (frame: Frame, each: Follower, ends: Ending, reply: Answered | undefined) =>
    announce === undefined
      ? each.run(frame, ends, reply, undefined)
      : (announce(each.place, frame, (watch) => each.run(frame, ends, reply, watch)) as ReturnType<Follower['run']>);
  const inTurn = (
    frame: Frame,
    list: readonly Follower[],
    ends: Ending,
    reply: Answered | undefined,
    at = 0,
  ): Answered | undefined | Promise<Answered | undefined> => {
    let given = reply;
    for (let i = at; i < list.length; i++) {
      const result = follow(frame, list[i] as Follower, ends, given);
      if (result instanceof Promise) return result.then((later) => inTurn(frame, list, ends, later, i + 1));
      given = result;
    }
    return given;
  };
  const dropped = async (frame: Frame, drop: Drop): Promise<Outcome> => {
    const counts = frame.dropCounts === undefined || (await frame.dropCounts(drop));
    if (counts) await inTurn(frame, followers.on_drop, { drop }, undefined);
    return drop;
  };
  const alarmed = (frame: Frame, error: unknown): unknown => {
    frame.ended = true;
    return inTurn(frame, followers.on_error, { failure: asFailure(error, { flow }) }, undefined);
  };
  const ended = (frame: Frame, outcome: Outcome): Outcome | Promise<Outcome> => {
    if (frame.ended) return outcome;
    if (outcome.kind === 'drop') {
      frame.ended = true;
      return followers.on_drop.length === 0 ? outcome : dropped(frame, outcome);
    }
    // A saga that failed answers, since its compensations were the intended behaviour.
    if (frame.failure !== undefined) return whenDone(alarmed(frame, frame.failure), () => outcome);
    if (followers.after.length === 0) return outcome;
    frame.ended = true;
    return inTurn(frame, followers.after, {}, outcome) as Answered | Promise<Answered>;
  };
  const failed = (frame: Frame, error: unknown): never | Promise<never> =>
    whenDone<unknown, never>(frame.ended ? undefined : alarmed(frame, error), () => {
      throw error;
    });
  return (frame) => {
    let outcome: Outcome | Promise<Outcome>;
    try {
      outcome = next(frame);
    } catch (error) {
      return failed(frame, error);
    }
    if (!(outcome instanceof Promise)) return ended(frame, outcome);
    return outcome.then(
      (settled) => ended(frame, settled),
      (error: unknown) => failed(frame, error),
    );
  };
}
