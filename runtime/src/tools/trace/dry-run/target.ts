import { addressRow, plainKeys } from '../../../connectors/core/row-address.ts';
import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import type { StatementRunner, Transactions } from '../../../foundation/contracts/sql.ts';
import type { CallDescription, CallRequest, Execute, Target } from '../../../foundation/contracts/target.ts';
import { isReading, type KnownCalls } from './reading.ts';
import type { ReportSimulated } from './simulated-call.ts';

/** A target that reads and does not write. */
export function simulatedTarget(connector: string, target: Target, known: KnownCalls, report: ReportSimulated): Target {
  return {
    prepare: (call) => {
      const simulate: Execute = (request) => {
        const answer = answerOf(call, request);
        report({ connector, operation: String(answer['operation']), place: call, answer });
        return { value: answer, simulated: true };
      };
      // A target that comes with the message may name the method.
      if (call.target === undefined && call.query === undefined) {
        const real = target.prepare(call);
        return (request) => {
          const reads = isReading({ ...call, target: request.target }, known);
          return reads ? real(request) : simulate(request);
        };
      }
      return isReading(call, known) ? target.prepare(call) : simulate;
    },
    // What gives rows one after another changes nothing.
    ...(target.prepareScan && { prepareScan: (call: CallDescription) => target.prepareScan?.(call) }),
    ...(target.transactions === undefined ? {} : { transactions: simulatedTransactions(connector, target, report) }),
  };
}

/**
 * What the flow answers with instead (docs/specification/command-line.md#trace), and the statement and its parameters
 * where there is one.
 */
function answerOf(call: CallDescription, request: CallRequest): Readonly<Record<string, unknown>> {
  const { verb, query } = call;
  const { filters, payload } = addressRow(request, plainKeys);
  const fields = {
    dry_run: true,
    operation: call.operation ?? verb,
    target: request.target ?? call.target,
    query,
    payload: verb === 'delete' ? undefined : payload,
    params: request.params,
    filters: query === undefined ? filters : undefined,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

const ofStatements: KnownCalls = { getsByDefault: false, runs: false, effect: () => undefined };

/** Reading statements see the stored data, because the transaction changes nothing. */
function simulatedTransactions(connector: string, target: Target, report: ReportSimulated): Transactions {
  const prepared = new Map<string, Execute>();
  const read = (query: string, params: Readonly<Record<string, unknown>>) => {
    let execute = prepared.get(query);
    if (execute === undefined) prepared.set(query, (execute = target.prepare(reading(query))));
    return execute({ params });
  };
  const statements: StatementRunner = {
    execute: (query, params): CallResult | Promise<CallResult> => {
      if (isReading(reading(query), ofStatements)) return read(query, params);
      const answer = { dry_run: true, operation: 'transaction', query, params: { ...params } };
      report({ connector, operation: 'transaction', answer });
      return { affected: 0, simulated: true };
    },
  };
  return { run: (work) => work(statements) };
}

function reading(query: string): CallDescription {
  return {
    verb: 'read',
    operation: undefined,
    target: undefined,
    query,
    timeout: undefined,
    exact: true,
    flow: '',
    label: 'transaction',
  };
}
