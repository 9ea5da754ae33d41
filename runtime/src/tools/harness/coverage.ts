import { type CelEngine, type Expression, parseTolerant, partsOf } from '@svc/protocol/cel';
import type { Stop } from '@svc/protocol/language';
import type { Project } from '@svc/protocol/model';
import type { Origin } from '@svc/protocol/schema';
import { flowStops } from '../../checks/language/stops.ts';
import { flowsOf } from '../../engine/flow/declarations.ts';
import { factsOf } from '../../engine/flow/pipeline/stages.ts';
import type { WatchedRule, WatchedStage } from '../../foundation/contracts/probe.ts';
import { aside } from './surroundings.ts';
import type { SeenRule, Witness } from './watch.ts';

/** How much of one kind of thing ran. */
export interface Share {
  readonly covered: number;
  readonly total: number;
}

/** Something that no test reached. */
export interface Gap {
  readonly flow: string;
  readonly kind: 'flow' | 'stage' | 'rule' | 'condition';
  /** `transform total`, `accept when was never false`. */
  readonly what: string;
  /** Undefined where it is written nowhere by itself. */
  readonly origin: Origin | undefined;
}

/** A stage of a flow, or one of its rules, and what of it ran. */
export interface PlaceCoverage {
  readonly flow: string;
  readonly stage: string;
  /** The name under which breakpoints are set. */
  readonly name: string;
  /** Position in written order, from 0; undefined for the stage itself. */
  readonly ruleIndex: number | undefined;
  readonly ran: boolean;
  /** What of it no test reached although it ran: `accept when was never false`. */
  readonly missing: readonly string[];
  /** Undefined where it is written nowhere by itself. */
  readonly origin: Origin | undefined;
}

/** What of the flows the tests reached. Both sides of a condition count. */
export interface Coverage {
  readonly flows: Share;
  readonly stages: Share;
  readonly rules: Share;
  readonly conditions: Share;
  readonly gaps: readonly Gap[];
  /** Every stage and rule, in written order of the flows. */
  readonly places: readonly PlaceCoverage[];
}

/** Collects what tests reach: flows, stages, rules, and both sides of conditions. */
export class CoverageWitness implements Witness {
  readonly #engine: CelEngine;
  readonly #seen = new Set<string>();
  readonly #conditions = new Map<string, readonly Expression[]>();

  constructor(engine: CelEngine) {
    this.#engine = engine;
  }

  flow(flow: string): void {
    this.#seen.add(flow);
  }

  stage(flow: string, place: WatchedStage): void {
    this.#seen.add(stageKey(flow, place));
  }

  rule({ flow, place, rule, frame, error, result }: SeenRule): void {
    const key = ruleKey(flow, place, rule);
    this.#seen.add(key);
    if (isGate(place, rule)) {
      if (error === undefined && typeof result === 'boolean') this.#seen.add(`${key} ${result}`);
      return;
    }
    const conditions = this.#conditionsOf(rule);
    if (conditions.length > 0) this.#decide(key, rule.expression, parseTolerant(rule.expression).expression, frame);
  }

  /** What was reached of a project whose flows have these stages. */
  coverage(project: Project, stages: ReadonlyMap<string, readonly WatchedStage[]>): Coverage {
    const places = new Map(flowStops(project).map((stop) => [stopKey(stop), stop]));
    const tally = new Tally(this.#seen);
    const covered: PlaceCoverage[] = [];
    for (const { name: flow, nameOrigin } of flowsOf(project)) {
      tally.count('flow', flow, 'never runs', flow, nameOrigin);
      for (const place of stages.get(flow) ?? []) {
        const title = [place.stage, place.name].filter((part) => part !== '').join(' ');
        const stop = places.get(stageKey(flow, place));
        const ran = tally.count('stage', flow, title, stageKey(flow, place), stop);
        const shared = { flow, stage: place.stage, name: place.declared ?? place.name };
        covered.push({ ...shared, ruleIndex: undefined, ran, missing: [], origin: originOf(stop) });
        for (const rule of place.rules) {
          if (rule.isStatement) continue;
          const key = ruleKey(flow, place, rule);
          const at = places.get(key);
          const what = `${title} › ${rule.target}`;
          const ruleRan = tally.count('rule', flow, what, key, at, ran);
          const missing: string[] = [];
          for (const { side, text, key: own } of this.#sidesOf(place, rule, key)) {
            const gap = `${text} was never ${side}`;
            if (!tally.count('condition', flow, `${what}: ${gap}`, own, at, ran) && ruleRan) missing.push(gap);
          }
          covered.push({ ...shared, ruleIndex: rule.index, ran: ruleRan, missing, origin: originOf(at) });
        }
      }
    }
    return { ...tally.coverage(), places: covered };
  }

  #sidesOf(place: WatchedStage, rule: WatchedRule, key: string) {
    const sides = [true, false];
    if (isGate(place, rule)) return sides.map((side) => ({ side, text: rule.expression, key: `${key} ${side}` }));
    return this.#conditionsOf(rule).flatMap(({ start, end }) =>
      sides.map((side) => ({ side, text: rule.expression.slice(start, end), key: `${key} ${start} ${side}` })),
    );
  }

  /** The conditions of `a ? b : c` in an expression. */
  #conditionsOf({ expression }: WatchedRule): readonly Expression[] {
    let known = this.#conditions.get(expression);
    if (known === undefined)
      this.#conditions.set(
        expression,
        (known = expression.includes('?') ? conditionsIn(parseTolerant(expression).expression) : []),
      );
    return known;
  }

  /** Follows an expression as it was evaluated: only the branch that was taken is looked at. */
  #decide(key: string, source: string, node: Expression, frame: object): void {
    if (node.kind !== 'conditional') {
      for (const part of partsOf(node, 'product')) this.#decide(key, source, part.node, frame);
      return;
    }
    const { condition } = node;
    this.#decide(key, source, condition, frame);
    const side = this.#valueOf(source.slice(condition.start, condition.end), frame);
    if (side === undefined) return;
    this.#seen.add(`${key} ${condition.start} ${side}`);
    this.#decide(key, source, side ? node.then : node.otherwise, frame);
  }

  /** Undefined where it cannot be known: inside a macro, whose variables are not known. */
  #valueOf(source: string, frame: object): boolean | undefined {
    const compiled = this.#engine.compile(source, { check: false });
    if (!compiled.ok) return undefined;
    try {
      const value = aside(() => compiled.program.evaluate(frame));
      return typeof value === 'boolean' ? value : undefined;
    } catch {
      return undefined;
    }
  }
}

function conditionsIn(node: Expression): readonly Expression[] {
  const inside = partsOf(node, 'product').flatMap((part) => conditionsIn(part.node));
  return node.kind === 'conditional' ? [node.condition, ...inside] : inside;
}

/** Whether a rule decides about a message or a block as a whole. */
function isGate({ stage }: WatchedStage, rule: WatchedRule): boolean {
  return factsOf(stage).decides?.(rule) ?? false;
}

/** What runs several times under names of its own is the place that is written once. */
function stageKey(flow: string, { stage, name, declared }: Pick<WatchedStage, 'stage' | 'name' | 'declared'>): string {
  return `${flow}\n${stage}\n${declared ?? name}`;
}

function ruleKey(flow: string, place: WatchedStage, { index }: WatchedRule): string {
  return `${stageKey(flow, place)}\n${index}`;
}

function originOf(stop: Stop | undefined): Origin | undefined {
  return stop && { file: stop.file, range: stop.range };
}

function stopKey(stop: Stop): string {
  const key = stageKey(stop.flow, stop);
  return stop.ruleIndex === undefined ? key : `${key}\n${stop.ruleIndex}`;
}

/** Counts what exists and what of it was seen. */
class Tally {
  readonly #seen: ReadonlySet<string>;
  readonly #shares = { flow: [0, 0], stage: [0, 0], rule: [0, 0], condition: [0, 0] };
  readonly #gaps: Gap[] = [];

  constructor(seen: ReadonlySet<string>) {
    this.#seen = seen;
  }

  /** Whether it was seen. What is missing inside something that never ran is counted and not listed by itself. */
  count(kind: Gap['kind'], flow: string, what: string, key: string, at: Origin | undefined, listed = true): boolean {
    const share = this.#shares[kind];
    const seen = this.#seen.has(key);
    share[1] = (share[1] ?? 0) + 1;
    if (seen) share[0] = (share[0] ?? 0) + 1;
    else if (listed && (kind === 'flow' || this.#seen.has(flow)))
      this.#gaps.push({ flow, kind, what, origin: at && { file: at.file, range: at.range } });
    return seen;
  }

  coverage(): Omit<Coverage, 'places'> {
    const share = ([covered = 0, total = 0]: readonly number[]): Share => ({ covered, total });
    const { flow, stage, rule, condition } = this.#shares;
    return {
      flows: share(flow),
      stages: share(stage),
      rules: share(rule),
      conditions: share(condition),
      gaps: this.#gaps,
    };
  }
}
