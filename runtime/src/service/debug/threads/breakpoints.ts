import type { CelProgram } from '@svc/protocol/cel';
import type { Breakpoint, CheckedBreakpoint } from '@svc/protocol/wire';
import type { WatchedRule, WatchedStage } from '../../../foundation/contracts/probe.ts';
import type { Session } from '../session.ts';
import type { Evaluator } from '../values/evaluate.ts';
import type { Secrecy } from '../values/snapshot.ts';

/** Breakpoints that one session may have in one flow. */
export const mostBreakpoints = 1_000;

/** The effect of breakpoints at a place of a flow. */
export interface Hit {
  /** Sessions whose breakpoint stops the thread; empty when there are only messages. */
  readonly holders: Set<Session>;
  /** Conditions that could not be evaluated. */
  readonly problems: readonly string[];
  /** Texts of log messages, each for the session that asked for it. */
  readonly messages: readonly { readonly session: Session; readonly text: string }[];
}

interface Compiled {
  readonly breakpoint: Breakpoint;
  readonly session: Session;
  readonly condition: CelProgram | undefined;
  readonly message: readonly (string | CelProgram)[] | undefined;
  hits: number;
}

type ByStage = Map<string, Compiled[]>;

/** The breakpoints of every session. Conditions are compiled when they are set; places are found in a map. */
export class Breakpoints {
  readonly #evaluator: Evaluator;
  readonly #flows = new Map<string, ByStage>();

  constructor(evaluator: Evaluator) {
    this.#evaluator = evaluator;
  }

  /** Replaces what the session has in a flow. Those that can never stop a thread come back unverified and are left out. */
  set(
    session: Session,
    flow: string,
    stages: readonly WatchedStage[],
    wanted: readonly Breakpoint[],
  ): readonly CheckedBreakpoint[] {
    this.#remove(session, flow);
    return wanted.map((breakpoint) => {
      const compiled = this.#compile(session, breakpoint, variablesAt(stages, breakpoint));
      const problem = placeProblem(flow, stages, breakpoint) ?? (typeof compiled === 'string' ? compiled : undefined);
      if (problem === undefined) this.#add(flow, compiled as Compiled);
      return { ...breakpoint, verified: problem === undefined, message: problem ?? '' };
    });
  }

  forget(session: Session): void {
    for (const flow of [...this.#flows.keys()]) this.#remove(session, flow);
  }

  /** The effect of breakpoints at a place; undefined without one. `scope` is made only for conditions. */
  match(
    flow: string,
    place: WatchedStage,
    rule: WatchedRule | undefined,
    scope: () => object,
    secrecy: Secrecy,
  ): Hit | undefined {
    const candidates = this.#flows.get(flow)?.get(place.stage);
    if (candidates === undefined) return undefined;
    const index = rule?.index ?? -1;
    let hit: { holders: Set<Session>; problems: string[]; messages: { session: Session; text: string }[] } | undefined;
    for (const each of candidates) {
      const { ruleIndex, name } = each.breakpoint;
      if (ruleIndex !== index || (name !== undefined && name !== place.name && name !== place.declared)) continue;
      const problem = holds(each, scope);
      if (problem === false) continue;
      hit ??= { holders: new Set(), problems: [], messages: [] };
      if (typeof problem === 'string') {
        hit.holders.add(each.session);
        hit.problems.push(problem);
      } else if (each.message !== undefined) {
        hit.messages.push({ session: each.session, text: this.#fill(each.message, scope(), secrecy) });
      } else hit.holders.add(each.session);
    }
    return hit;
  }

  #remove(session: Session, flow: string): void {
    const stages = this.#flows.get(flow);
    if (stages === undefined) return;
    for (const [stage, list] of stages) {
      const kept = list.filter((each) => each.session !== session);
      if (kept.length === 0) stages.delete(stage);
      else stages.set(stage, kept);
    }
    if (stages.size === 0) this.#flows.delete(flow);
  }

  #add(flow: string, compiled: Compiled): void {
    let stages = this.#flows.get(flow);
    if (stages === undefined) this.#flows.set(flow, (stages = new Map()));
    const list = stages.get(compiled.breakpoint.stage);
    if (list === undefined) stages.set(compiled.breakpoint.stage, [compiled]);
    else list.push(compiled);
  }

  /** The breakpoint ready to be matched, or what is wrong with its expressions. */
  #compile(session: Session, breakpoint: Breakpoint, variables: readonly string[]): Compiled | string {
    const { condition: text = '', logMessage } = breakpoint;
    let condition: CelProgram | undefined;
    if (text.trim() !== '') {
      const compiled = this.#evaluator.compile(text, variables);
      if ('problem' in compiled) return `the condition does not compile: ${compiled.problem}`;
      condition = compiled.program;
    }
    const message = logMessage === undefined ? undefined : this.#parts(logMessage, variables);
    if (typeof message === 'string') return message;
    return { breakpoint, session, condition, message, hits: 0 };
  }

  /** Texts and expressions in turn, or what is wrong with one of them. */
  #parts(message: string, variables: readonly string[]): readonly (string | CelProgram)[] | string {
    const parts: (string | CelProgram)[] = [];
    for (const [at, piece] of message.split(/\{([^{}]*)\}/).entries()) {
      if (at % 2 === 0) {
        parts.push(piece);
        continue;
      }
      const compiled = this.#evaluator.compile(piece, variables);
      if ('problem' in compiled) return `the log message does not compile: ${compiled.problem}`;
      parts.push(compiled.program);
    }
    return parts;
  }

  #fill(parts: readonly (string | CelProgram)[], scope: object, secrecy: Secrecy): string {
    return parts.map((part) => (typeof part === 'string' ? part : this.#text(part, scope, secrecy))).join('');
  }

  #text(program: CelProgram, scope: object, secrecy: Secrecy): string {
    try {
      const { result } = this.#evaluator.evaluate(program, scope, secrecy);
      return typeof result === 'string' ? result : JSON.stringify(result);
    } catch (error) {
      return `{${messageOf(error)}}`;
    }
  }
}

/** Whether the breakpoint is reached; a text when its condition cannot be evaluated. */
function holds(compiled: Compiled, scope: () => object): boolean | string {
  const { condition, breakpoint } = compiled;
  if (condition !== undefined) {
    const failed = (why: string) => `the condition "${breakpoint.condition}" failed: ${why}`;
    let value: unknown;
    try {
      value = condition.evaluate(scope());
    } catch (error) {
      return failed(messageOf(error));
    }
    if (value === false) return false;
    if (value !== true) return failed('it must give true or false');
  }
  compiled.hits++;
  return compiled.hits >= (breakpoint.hitCount ?? 1);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What the rules that a breakpoint names can read besides the variables of every flow. */
function variablesAt(stages: readonly WatchedStage[], { stage, name, ruleIndex }: Breakpoint): readonly string[] {
  const named = stages.filter((each) => each.stage === stage && isNamed(each, name));
  return named.flatMap(({ rules }) => rules[ruleIndex]?.variables ?? []);
}

/** Whether a breakpoint with this name, or without one, is for the stage. */
export function isNamed({ name, numbered }: WatchedStage, wanted: string | undefined): boolean {
  if (wanted === undefined || wanted === name) return true;
  return numbered === true && wanted.startsWith(`${name} `) && /^[1-9]\d*$/.test(wanted.slice(name.length + 1));
}

/** Why there is no such place; undefined when there is one. */
function placeProblem(
  flow: string,
  stages: readonly WatchedStage[],
  { stage, name, ruleIndex }: Breakpoint,
): string | undefined {
  const ofStage = stages.filter((each) => each.stage === stage);
  if (ofStage.length === 0)
    return `flow "${flow}" has no stage "${stage}"; it has ${[...new Set(stages.map((each) => each.stage))].join(', ')}`;
  const named = name === undefined ? ofStage : ofStage.filter((each) => isNamed(each, name));
  if (named.length === 0)
    return `no stage "${stage}" of flow "${flow}" is named "${name}"; there is ${ofStage.map((each) => `"${each.name}"`).join(', ')}`;
  const most = Math.max(...named.map(({ rules }) => rules.length));
  if (ruleIndex < most) return undefined;
  return most === 0 ? `stage "${stage}" has no rules` : `stage "${stage}" has rules 0 to ${most - 1}, not ${ruleIndex}`;
}
