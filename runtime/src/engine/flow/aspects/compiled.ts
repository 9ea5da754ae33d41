import type { WatchedRule, WatchedStage } from '../../../foundation/contracts/probe.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import type { Frame } from '../message/frame.ts';
import type { RuleWatch } from '../message/part.ts';
import { Restart } from '../message/restart.ts';
import { numbered, watched } from '../message/watched.ts';
import type { FlowModel } from '../model.ts';
import { findSources } from '../sources-in.ts';
import type { FlowTools } from '../tools.ts';
import { AspectScope, type Ending, readsThroughInput, wordsOf } from './scope.ts';
import type { AspectDeclaration } from './selection.ts';
import { ownVariables } from './spec.ts';

/** What all aspects of a flow have in common. */
export interface CompiledAspect {
  readonly name: string;
  /** `aspect "audit"`, with which its failures begin. */
  readonly title: string;
  readonly values: AspectDeclaration['values'];
  /** Rules before those of its action: 1 with a condition, else 0. */
  readonly firstRule: number;
  /** The aspect as a stage, with its condition before `rules`. */
  place(rules?: readonly Pick<WatchedRule, 'target' | 'expression'>[]): WatchedStage;
  scope(frame: Frame, ending?: Ending): AspectScope;
  /** Whether it applies. A condition that cannot be evaluated is logged and counts as false. */
  passes(scope: AspectScope, watch: RuleWatch | undefined): boolean | Promise<boolean>;
  /** Logs and counts a failure of the aspect that changes nothing about the flow. */
  complain(what: string, error: unknown): void;
  /** The result of the work; when it fails, which is logged and counted, the substitute. */
  attempt<T>(what: string, work: () => T | Promise<T>, instead: T): T | Promise<T>;
  /** Counts a failure of the aspect that fails the flow as well. */
  count(): void;
}

export function compileAspect({ name, values }: AspectDeclaration, model: FlowModel, tools: FlowTools): CompiledAspect {
  const { name: flow } = model;
  const { clock, families, log } = tools.services;
  const title = `aspect "${name}"`;
  const errors = families.aspectErrors.of(name, flow);
  const words = wordsOf(model);
  const inInput = findSources(values).some(({ source }) => readsThroughInput(tools.expression(source, title)));
  const condition = values.if && tools.expression(values.if, `${title}: if`);

  const complain = (what: string, error: unknown): void => {
    if (error instanceof Restart) throw error;
    errors.value++;
    const { code, message } = asFailure(error);
    log.warn(what, { aspect: name, flow, code, error: message });
  };
  const attempt = <T>(what: string, work: () => T | Promise<T>, instead: T): T | Promise<T> => {
    const failed = (error: unknown): T => {
      complain(what, error);
      return instead;
    };
    try {
      const result = work();
      return result instanceof Promise ? result.catch(failed) : result;
    } catch (error) {
      return failed(error);
    }
  };
  return {
    name,
    title,
    values,
    firstRule: condition === undefined ? 0 : 1,
    place: (rules = []) => {
      const own = condition === undefined ? [] : [{ target: 'if', expression: condition.program.source }];
      return { stage: 'aspect', name, rules: numbered([...own, ...rules].map((rule) => ({ ...rule, variables }))) };
    },
    scope: (frame, ending = {}) => new AspectScope(frame, words, ending, clock, inInput),
    passes: (scope, watch) => {
      if (condition === undefined) return true;
      const holds = () => condition.isTrue(scope);
      const work = watch === undefined ? holds : () => watched(watch, 0, scope, holds);
      return attempt('the condition of an aspect cannot be evaluated and counts as false', work, false);
    },
    complain,
    attempt,
    count: () => void errors.value++,
  };
}

/** Rules of aspects read these besides the variables of every flow. */
const variables: readonly string[] = [...ownVariables];
