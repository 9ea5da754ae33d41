import type { Report } from '@svc/protocol/model';
import { type Origin, originOf, type Values } from '@svc/protocol/schema';
import { specsOf } from '../../../connectors/core/declaration.ts';
import type { transaction } from '../../../connectors/core/transaction-spec.ts';
import type { FlowRule } from '../../../engine/flow/every-flow.ts';
import { reportUnbound } from './statements.ts';

type Exec = Values<typeof transaction>['exec'][number];
type Loop = Omit<Values<typeof transaction>['each'][number], 'each'> & { readonly each?: readonly Loop[] };

/** What every expression of a transaction can read already. */
const taken = ['input', 'output', 'step', 'captured', 'enriched', 'lock', 'auth', 'constants', 'ctx', 'context'];
const words = ['in', 'as', 'true', 'false', 'null', 'if', 'else', 'for', 'while', 'var', 'let', 'const', 'function'];

/** Loops have names that hide nothing, and statements have all their parameters. */
export const checkTransactions: FlowRule = ({ name, values }, connectors, report) => {
  for (const to of values.to) {
    if (!to.transaction) continue;
    const { exec, each } = to.transaction;
    if (exec.length === 0 && each.length === 0)
      report('missing-block', `the transaction of flow "${name}" holds no statement`, originOf(to, 'transaction'), {
        help: 'Write exec { query = "…" } into it.',
      });
    const connector = connectors.get(to.connector);
    const checks = connector ? specsOf(connector).flatMap(({ target }) => target?.checkStatement ?? []) : [];
    const visit = (
      body: { readonly exec: readonly Exec[]; readonly each?: readonly Loop[] },
      outer: readonly string[],
    ) => {
      for (const { query, params, ...rest } of body.exec) {
        const given = (params?.fields ?? []).map((field) => field.name);
        const at = originOf(rest, 'query');
        checkStatement(
          checks.map((check) => check(query ?? '')),
          given,
          at,
          report,
        );
      }
      for (const loop of body.each ?? []) {
        checkLoopName(loop, outer, report);
        visit(loop, [...outer, loop.label, `${loop.label}_index`]);
      }
    };
    visit({ exec, each: each as readonly Loop[] }, []);
  }
};

/** What the connector says of a statement, or each of its profiles: why it cannot be run, or the names of its parameters. */
function checkStatement(
  found: readonly (string | readonly string[])[],
  given: readonly string[],
  at: Origin,
  report: Report,
): void {
  const problems = found.filter((each) => typeof each === 'string');
  for (const problem of new Set(problems)) report('malformed-call', problem, at);
  const names = found.flatMap((each) => (typeof each === 'string' ? [] : each));
  for (const name of new Set(names)) if (!given.includes(name)) reportUnbound(name, given, at, report);
}

function checkLoopName(loop: Loop, outer: readonly string[], report: Report): void {
  const { label } = loop;
  const at = originOf(loop);
  if (!/^[A-Za-z_]\w*$/.test(label) || words.includes(label))
    report('malformed-name', `each "${label}" cannot be read by that name`, at, {
      help: 'Write a name of letters, digits and underscores, such as each "line" in "input.lines".',
    });
  else if ([...taken, ...outer].includes(label))
    report('shadowed-name', `each "${label}" would hide ${label}, which its statements can read already`, at, {
      help: 'Choose another name, and write it in the statements.',
    });
}
