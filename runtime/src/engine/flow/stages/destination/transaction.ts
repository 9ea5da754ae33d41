import type { Values } from '@svc/protocol/schema';
import type { transaction } from '../../../../connectors/core/transaction-spec.ts';
import type { CallResult } from '../../../../foundation/contracts/call-result.ts';
import type { CallEnd } from '../../../../foundation/contracts/observer.ts';
import type { StatementRunner, WantedKey } from '../../../../foundation/contracts/sql.ts';
import { asFailure } from '../../../../foundation/errors/classify.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { type Expression, kindOf, unusable } from '../../compile/expression.ts';
import type { Frame } from '../../message/frame.ts';
import type { RuleWatch, WatchedRule } from '../../message/part.ts';
import { Restart } from '../../message/restart.ts';
import { behind, watched } from '../../message/watched.ts';
import type { FlowModel } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';
import { verbOfStatement } from '../../verb.ts';
import { compileMapping } from '../transform/stage.ts';
import type { Destination } from './destination.ts';
import { type Body, type Exec, inOrder, type Loop } from './in-order.ts';

type Scope = Record<string, unknown>;

/** What one run has done so far. */
interface Progress {
  readonly statements: StatementRunner;
  readonly captured: Record<string, unknown>;
  affected: number;
  /** Its UPDATE and DELETE statements that found no row. */
  unmatched: number;
  /** Key of the last inserted row. */
  key: unknown;
}

/** `watch` is notified of the rules, when the flow is watched. */
type Statement = (scope: object, progress: Progress, watch: RuleWatch | undefined) => Promise<unknown>;

/** The position of a statement, and the list of its rules. */
interface Site {
  /** Begins the messages of failures. */
  readonly title: string;
  /** Begins the targets of its rules. */
  readonly path: string;
  /** Variables of the loops around it. */
  readonly variables: readonly string[];
  readonly rules: Omit<WatchedRule, 'index'>[];
  readonly tools: FlowTools;
  /** A statement that inserts no rows captures the key of the last inserted row: every INSERT returns it. */
  readonly keepsKeys: boolean;
}

export interface Transaction {
  /** Every statement, followed by its expressions, and every list of a loop, in written order. */
  readonly rules: readonly Omit<WatchedRule, 'index'>[];
  readonly run: (frame: Frame, watch: RuleWatch | undefined) => Promise<unknown>;
}

/**
 * Compiles statements that commit together or not at all; answers `{affected, captured}`
 * (docs/specification/databases.md#transactions).
 */
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
    const began = clock.reading();
    let end: CallEnd = 'error';
    try {
      const progress = await transactions.run(async (statements) => {
        const captured = Object.create(null) as Record<string, unknown>;
        frame.captured = captured;
        const held = checkHeld === undefined ? statements : checked(statements, () => checkHeld(frame));
        const fresh: Progress = { statements: held, captured, affected: 0, unmatched: 0, key: null };
        await run(frame, fresh, watch && pausing(watch, statements));
        checkHeld?.(frame);
        return fresh;
      }, frame.signal);
      end = 'success';
      frame.affected += progress.affected;
      for (let count = 0; count < progress.unmatched; count++) observer.unmatched(flow, use.name);
      return { affected: progress.affected, captured: progress.captured };
    } catch (error) {
      if (error instanceof Restart) throw error;
      const failure = asFailure(error, place);
      if (failure.kind.callers) end = 'refused';
      throw failure;
    } finally {
      observer.connectorCall(use.name, use.type, 'write', end, clock.since(began) / 1000);
    }
  };
  return { rules, run: execute };
}

/** Each statement after a check of the lock; a failure rolls the transaction back. */
function checked(statements: StatementRunner, check: () => void): StatementRunner {
  return {
    execute: (query, params, key) => {
      check();
      return statements.execute(query, params, key);
    },
    hold: statements.hold,
  };
}

/** While a rule is paused, the timeouts of those that wait for the transaction are suspended. */
function pausing(watch: RuleWatch, { hold }: StatementRunner): RuleWatch {
  if (hold === undefined) return watch;
  const during = (wait: void | Promise<void>) => {
    if (wait === undefined) return;
    const resume = hold();
    return wait.finally(resume);
  };
  return {
    enter: (rule, scope) => during(watch.enter(rule, scope)),
    leave: (rule, scope, error, result) => during(watch.leave(rule, scope, error, result)),
  };
}

/** Announces a rule when the flow is watched. */
function announce<T>(watch: RuleWatch | undefined, rule: number, scope: object, work: () => T | Promise<T>) {
  return watch === undefined ? work() : watched(watch, rule, scope, work);
}

/** Adds a rule and returns its number. */
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
  const verb = verbOfStatement(query);
  const reads = verb === 'read';
  const finds = verb === 'update' || verb === 'delete';
  const run: Statement = async (scope, progress, watch) => {
    if (when !== undefined && !(await announce(watch, condition, scope, () => when.isTrue(scope)))) return null;
    const bound = params.start();
    if (watch === undefined) params.fill(scope, bound);
    else await params.fillWatched(scope, bound, behind(watch, first));
    const result = await progress.statements.execute(query, bound, wanted);
    // A statement that begins with WITH may write as well.
    const asked = reads && result.affected === undefined;
    const affected = result.affected ?? result.rows?.length ?? 0;
    if (!asked) progress.affected += affected;
    if (finds && affected === 0) progress.unmatched++;
    if (result.id !== undefined && result.id !== null) progress.key = result.id;
    if (capture !== undefined) progress.captured[capture] = capturedOf(result, asked ? null : progress.key);
    return asked ? result.rows : { affected: result.affected, id: result.id };
  };
  return async (scope, progress, watch) => announce(watch, whole, scope, () => run(scope, progress, watch));
}

/** First column of the first row, else the key of the inserted row; `last` for a statement that inserts nothing. */
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
    const elements = await announce(watch, over, scope, () => elementsOf(list, scope));
    const inner = Object.create(scope) as Scope;
    for (let at = 0; at < elements.length; at++) {
      inner[name] = elements[at];
      inner[position] = BigInt(at);
      await body(inner, progress, watch);
    }
  };
}

/** Empty for an absent or null list; a value that is not a list is an error. */
function elementsOf(list: Expression, scope: object): readonly unknown[] {
  const value = list.evaluateIfPresent(scope);
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw unusable(`${list.title} needs a list, not ${kindOf(value)}`, list, scope);
}
