import { CelError } from '@svc/protocol/cel';
import { originOf, type Values } from '@svc/protocol/schema';
import type { CallResult, StatementRunner } from '../../../connectors/contract.ts';
import { asFailure } from '../../../errors/classify.ts';
import { Failure } from '../../../errors/failure.ts';
import { type Expression, kindOf } from '../../expression.ts';
import type { Frame } from '../../frame.ts';
import type { FlowModel } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';
import { verbOfStatement } from '../../verb.ts';
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
}

type Statement = (scope: object, progress: Progress) => Promise<void>;

/** Compiles statements that commit together or not at all; answers `{affected, captured}` (supplement 3.11). */
export function compileTransaction(
  { name: flow }: FlowModel,
  { use, label }: Destination,
  body: Values<typeof transaction>,
  tools: FlowTools,
): (frame: Frame) => Promise<unknown> {
  const run = compileBody(body, `to "${label}": transaction`, tools, []);
  const place = { connector: use.name };
  const { observer, clock } = tools.services;
  return async (frame) => {
    const transactions = use.target?.transactions;
    if (transactions === undefined) {
      const message = `flow "${flow}": connector "${use.name}" has no transactions`;
      throw new Failure('connector_failed', message, { at: place, retriable: false });
    }
    const began = clock.elapsed();
    let ok = false;
    try {
      const progress = await transactions.run(async (statements) => {
        const captured = Object.create(null) as Record<string, unknown>;
        frame.captured = captured;
        const fresh: Progress = { statements, captured, affected: 0 };
        await run(frame, fresh);
        return fresh;
      }, frame.signal);
      ok = true;
      return { affected: progress.affected, captured: progress.captured };
    } catch (error) {
      throw asFailure(error, place);
    } finally {
      observer.connectorCall(use.name, use.type, 'write', ok, (clock.elapsed() - began) / 1000);
    }
  };
}

function compileBody(body: Body, title: string, tools: FlowTools, variables: readonly string[]): Statement {
  const parts = [
    ...body.exec.map((exec) => ({ at: originOf(exec), run: compileExec(exec, title, tools, variables) })),
    ...(body.each ?? []).map((each) => ({ at: originOf(each), run: compileLoop(each, title, tools, variables) })),
  ];
  const statements = parts.sort((a, b) => a.at.range.start - b.at.range.start).map(({ run }) => run);
  return async (scope, progress) => {
    for (const statement of statements) await statement(scope, progress);
  };
}

function compileExec(exec: Exec, outer: string, tools: FlowTools, variables: readonly string[]): Statement {
  const { query, capture } = exec;
  const title = `${outer}: exec`;
  const when = exec.when && tools.expression(exec.when, `${title}: when`, variables);
  const params = compileMapping(exec.params?.fields ?? [], `${title}: params`, tools, variables);
  const reads = verbOfStatement(query) === 'read';
  return async (scope, progress) => {
    if (when !== undefined && !when.isTrue(scope)) return;
    const result = await progress.statements.execute(query, params.fill(scope, params.start()));
    if (!reads) progress.affected += result.affected ?? result.rows?.length ?? 0;
    if (capture !== undefined) progress.captured[capture] = capturedOf(result, reads);
  };
}

/** First column of the first row, else the generated key; 0 where the driver tells none. */
function capturedOf({ rows, id }: CallResult, reads: boolean): unknown {
  const [first] = rows ?? [];
  if (first !== undefined) return Object.values(first)[0] ?? null;
  return reads ? null : (id ?? 0n);
}

function compileLoop(each: Loop, outer: string, tools: FlowTools, variables: readonly string[]): Statement {
  const { label: name } = each;
  const title = `${outer}: each "${name}"`;
  const list = tools.expression(each.over, title, variables);
  const position = `${name}_index`;
  const body = compileBody(each, title, tools, [...variables, name, position]);
  return async (scope, progress) => {
    const elements = elementsOf(list, scope);
    const inner = Object.create(scope) as Scope;
    for (let at = 0; at < elements.length; at++) {
      inner[name] = elements[at];
      inner[position] = BigInt(at);
      await body(inner, progress);
    }
  };
}

/** Nothing for an absent or null list; a value that is no list is an error. */
function elementsOf(list: Expression, scope: object): readonly unknown[] {
  let value: unknown;
  try {
    value = list.program.evaluate(scope);
  } catch (error) {
    if (isAbsence(error, list)) return [];
    throw list.failed(error);
  }
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw new Failure('expression_failed', `${list.title} needs a list, not ${kindOf(value)}`);
}

/** A plain path that leads nowhere; a failing computation is no absence. */
function isAbsence(error: unknown, { program }: Expression): boolean {
  return (
    error instanceof CelError &&
    (error.reason === 'no-such-key' || error.reason === 'no-such-field') &&
    /^\s*[A-Za-z_]\w*(\s*\.\s*[A-Za-z_]\w*)*\s*$/.test(program.source)
  );
}
