import { originOf, type Values } from '@svc/protocol/schema';
import type { CallEnd } from '../../../contracts/observer.ts';
import type { StatementRunner, WantedKey } from '../../../contracts/sql.ts';
import type { CallResult } from '../../../contracts/target.ts';
import { asFailure } from '../../../errors/classify.ts';
import { Failure } from '../../../errors/failure.ts';
import { type Expression, kindOf } from '../../expression.ts';
import type { Frame } from '../../frame.ts';
import type { FlowModel } from '../../model.ts';
import type { RuleWatch, WatchedRule } from '../../part.ts';
import { Restart } from '../../restart.ts';
import type { FlowTools } from '../../tools.ts';
import { verbOfStatement } from '../../verb.ts';
import { behind, watched } from '../../watched.ts';
import { compileMapping } from '../transform/stage.ts';
import type { Destination } from './resolve.ts';
import type { transaction } from './spec.ts';

type Body = Pick<Values<typeof transaction>, 'exec'> & { readonly each?: readonly Loop[] };
type Exec = Values<typeof transaction>['exec'][number];
type Loop = Body & Pick<Values<typeof transaction>['each'][number], 'label' | 'over'> & Parameters<typeof originOf>[0];
type Scope = Record<string, unknown>;

/** What one run has done so far. */
interface Progress {
  readonly statements: StatementRunner;
  readonly captured: Record<string, unknown>;
  affected: number;
  /** Key of the last row that was made. */
  key: unknown;
}

/** `watch` is told of the rules, when somebody watches. */
type Statement = (scope: object, progress: Progress, watch: RuleWatch | undefined) => Promise<unknown>;

/** Where a statement stands, and what its rules are added to. */
interface Site {
  /** Begins what failures say. */
  readonly title: string;
  /** Begins the targets of its rules. */
  readonly path: string;
  /** Variables of the loops around it. */
  readonly variables: readonly string[];
  readonly rules: Omit<WatchedRule, 'index'>[];
  readonly tools: FlowTools;
  /** A statement that makes no rows captures the key of the last row that was made: every INSERT says it. */
  readonly keepsKeys: boolean;
}

export interface Transaction {
  /** Every statement, followed by its expressions, and every list of a loop, in written order. */
  readonly rules: readonly Omit<WatchedRule, 'index'>[];
  readonly run: (frame: Frame, watch: RuleWatch | undefined) => Promise<unknown>;
}

/** Compiles statements that commit together or not at all; answers `{affected, captured}` (supplement 3.11). */
export function compileTransaction(
  { name: flow }: FlowModel,
  { use, label }: Destination,
  body: Values<typeof transaction>,
  tools: FlowTools,
): Transaction {
  const rules: Site['rules'] = [];
  const keepsKeys = statementsIn(body).some(
    ({ capture, query }) => capture !== undefined && !['create', 'read'].includes(verbOfStatement(query)),
  );
  const title = `to "${label}": transaction`;
  const run = compileBody(body, { title, path: '', variables: [], rules, tools, keepsKeys });
  const place = { connector: use.name };
  const { checkHeld } = tools;
  const { observer, clock } = tools.services;
  const execute: Transaction['run'] = async (frame, watch) => {
    const transactions = use.target?.transactions;
    if (transactions === undefined) {
      const message = `flow "${flow}": connector "${use.name}" has no transactions`;
      throw new Failure('connector_failed', message, { at: place, retriable: false });
    }
    const began = clock.elapsed();
    let end: CallEnd = 'error';
    try {
      const progress = await transactions.run(async (statements) => {
        const captured = Object.create(null) as Record<string, unknown>;
        frame.captured = captured;
        const held = checkHeld === undefined ? statements : checked(statements, () => checkHeld(frame));
        const fresh: Progress = { statements: held, captured, affected: 0, key: null };
        await run(frame, fresh, watch && patient(watch, statements));
        checkHeld?.(frame);
        return fresh;
      }, frame.signal);
      end = 'success';
      frame.affected += progress.affected;
      return { affected: progress.affected, captured: progress.captured };
    } catch (error) {
      if (error instanceof Restart) throw error;
      const failure = asFailure(error, place);
      if (failure.kind.callers) end = 'refused';
      throw failure;
    } finally {
      observer.connectorCall(use.name, use.type, 'write', end, (clock.elapsed() - began) / 1000);
    }
  };
  return { rules, run: execute };
}

/** Each statement after a look; what fails it rolls the transaction back. */
function checked(statements: StatementRunner, check: () => void): StatementRunner {
  return {
    execute: (query, params, key) => {
      check();
      return statements.execute(query, params, key);
    },
    hold: statements.hold,
  };
}

/** While a rule is held, those who wait for the transaction do not lose patience. */
function patient(watch: RuleWatch, { hold }: StatementRunner): RuleWatch {
  if (hold === undefined) return watch;
  const during = (wait: void | Promise<void>) => {
    if (wait === undefined) return;
    const goOn = hold();
    return wait.finally(goOn);
  };
  return {
    enter: (rule, scope) => during(watch.enter(rule, scope)),
    leave: (rule, scope, error, result) => during(watch.leave(rule, scope, error, result)),
  };
}

/** Announces a rule when somebody watches. */
function told<T>(watch: RuleWatch | undefined, rule: number, scope: object, work: () => T | Promise<T>) {
  return watch === undefined ? work() : watched(watch, rule, scope, work);
}

/** Adds a rule and gives its number. */
function rule({ path, variables, rules }: Site, target: string, expression: string, isStatement?: true): number {
  const shown = [path, target].filter((each) => each !== '').join('.');
  return rules.push({ target: shown, expression, isStatement, variables }) - 1;
}

function compileBody(body: Body, site: Site): Statement {
  const statements = inOrder(body).map((each) => {
    if ('over' in each) return compileLoop(each, site);
    const path = `exec[${body.exec.indexOf(each)}]`;
    return compileExec(each, { ...site, path: [site.path, path].filter((part) => part !== '').join('.') });
  });
  return async (scope, progress, watch) => {
    for (const statement of statements) await statement(scope, progress, watch);
  };
}

/** Statements and loops as they are written. */
export function inOrder({ exec, each = [] }: Body): readonly (Exec | Loop)[] {
  return [...exec, ...each].sort((a, b) => originOf(a).range.start - originOf(b).range.start);
}

function compileExec(exec: Exec, site: Site): Statement {
  const { query, capture } = exec;
  const { tools, variables, rules } = site;
  const wanted: WantedKey = capture === undefined ? (site.keepsKeys ? 'known' : undefined) : 'required';
  const title = `${site.title}: exec`;
  const whole = rule(site, '', query, true);
  const when = exec.when && tools.expression(exec.when, `${title}: when`, variables);
  const condition = when === undefined ? -1 : rule(site, 'when', when.program.source);
  const params = compileMapping(exec.params?.fields ?? [], `${title}: params`, tools, variables);
  const first = rules.length;
  for (const { target, expression } of params.rules) rule(site, `params.${target}`, expression);
  const reads = verbOfStatement(query) === 'read';
  const run: Statement = async (scope, progress, watch) => {
    if (when !== undefined && !(await told(watch, condition, scope, () => when.isTrue(scope)))) return null;
    const bound = params.start();
    if (watch === undefined) params.fill(scope, bound);
    else await params.fillWatched(scope, bound, behind(watch, first));
    const result = await progress.statements.execute(query, bound, wanted);
    // A statement that begins with WITH may write as well.
    const asked = reads && result.affected === undefined;
    if (!asked) progress.affected += result.affected ?? result.rows?.length ?? 0;
    if (result.id !== undefined && result.id !== null) progress.key = result.id;
    if (capture !== undefined) progress.captured[capture] = capturedOf(result, asked ? null : progress.key);
    return asked ? result.rows : { affected: result.affected, id: result.id };
  };
  return async (scope, progress, watch) => told(watch, whole, scope, () => run(scope, progress, watch));
}

/** First column of the first row, else the key of what was made; `last` for what makes nothing. */
function capturedOf({ rows, id }: CallResult, last: unknown): unknown {
  const [first] = rows ?? [];
  if (first !== undefined) return Object.values(first)[0] ?? null;
  return id === undefined ? last : id;
}

/** Every statement of a transaction, those of its loops included. */
export function statementsIn({ exec, each = [] }: Body): readonly Exec[] {
  return [...exec, ...each.flatMap(statementsIn)];
}

function compileLoop(each: Loop, site: Site): Statement {
  const { label: name } = each;
  const { tools, variables } = site;
  const title = `${site.title}: each "${name}"`;
  const path = `each.${name}`;
  const over = rule(site, path, each.over.source);
  const list = tools.expression(each.over, title, variables);
  const position = `${name}_index`;
  const body = compileBody(each, {
    ...site,
    title,
    path: site.path === '' ? path : `${site.path}.${path}`,
    variables: [...variables, name, position],
  });
  return async (scope, progress, watch) => {
    const elements = await told(watch, over, scope, () => elementsOf(list, scope));
    const inner = Object.create(scope) as Scope;
    for (let at = 0; at < elements.length; at++) {
      inner[name] = elements[at];
      inner[position] = BigInt(at);
      await body(inner, progress, watch);
    }
  };
}

/** Nothing for an absent or null list; a value that is no list is an error. */
function elementsOf(list: Expression, scope: object): readonly unknown[] {
  const value = list.evaluateIfPresent(scope);
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw new Failure('expression_failed', `${list.title} needs a list, not ${kindOf(value)}`);
}
