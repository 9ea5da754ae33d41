import type { CallResult } from '../../../../foundation/contracts/call-result.ts';
import type { WatchedStage } from '../../../../foundation/contracts/probe.ts';
import type { Execute } from '../../../../foundation/contracts/target.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { FlowRequest, prepareCall } from '../../calls/call.ts';
import type { Expression } from '../../compile/expression.ts';
import type { Mapping } from '../../compile/mapping.ts';
import type { Frame, Shaping } from '../../message/frame.ts';
import type { RuleWatch } from '../../message/part.ts';
import { behind, numbered, watched } from '../../message/watched.ts';
import type { FlowModel } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';
import { compilePayload } from '../transform/stage.ts';
import { skipped, writeAnswer } from './answer.ts';
import type { Destination } from './destination.ts';
import type { Fields } from './payload.ts';
import { compileRequest, describeDestination, prepareDestination, titleOf } from './request.ts';
import { compileTransaction } from './transaction.ts';

/** Writes to one destination and returns its answer. */
export interface Write {
  readonly destination: Destination;
  readonly place: WatchedStage;
  /** Whether it reads the base payload, so that one must be built. */
  readonly needsPayload: boolean;
  readonly run: (frame: Frame) => unknown;
  /** The same with `when`, each field of the destination's own transform and each statement of a transaction announced. */
  readonly runWatched: (frame: Frame, watch: RuleWatch) => Promise<unknown>;
}

/**
 * Compiles one writing destination. `frame.output` must hold the base payload when it runs, unless it needs no payload.
 */
export function compileWrite(model: FlowModel, destination: Destination, tools: FlowTools, exact: boolean): Write {
  const { values } = destination;
  const title = titleOf(destination);
  const when = values.when && tools.expression(values.when, `${title}: when`);
  const own = values.transform && compilePayload(values.transform.fields, `${title}: transform`, tools);
  const transaction = values.transaction && compileTransaction(model, destination, values.transaction, tools);
  const send = transaction === undefined ? compileSend(model, destination, tools, exact) : undefined;
  const deliver = (frame: Frame, payload: Fields | undefined, watch?: RuleWatch) =>
    transaction === undefined ? send?.(frame, payload) : transaction.run(frame, watch);
  const condition = when === undefined ? [] : [{ target: 'when', expression: when.program.source }];
  const rules = numbered([...condition, ...(own?.rules ?? []), ...(transaction?.rules ?? [])]);
  return {
    destination,
    place: { stage: 'write', name: destination.label, rules },
    needsPayload: needsPayload(model, destination, when, own),
    run: (frame) => {
      if (!passes(when, frame)) return skipped;
      return deliver(frame, own === undefined ? (frame.output as Fields | undefined) : ownPayload(own, frame));
    },
    runWatched: async (frame, watch) => {
      if (when !== undefined && !(await watched(watch, 0, frame, () => when.decides(frame)))) return skipped;
      const sending = behind(watch, condition.length + (own?.names.length ?? 0));
      if (own === undefined) return deliver(frame, frame.output as Fields | undefined, sending);
      const scope = scopeOf(frame, own);
      const payload = own.start();
      await own.fillWatched(scope, payload, behind(watch, condition.length), scope.output);
      return deliver(frame, payload, sending);
    },
  };
}

function passes(when: Expression | undefined, frame: Frame): boolean {
  return when === undefined || when.isTrue(frame);
}

function needsPayload(
  model: FlowModel,
  { verb, query, values }: Destination,
  when: Expression | undefined,
  own: Mapping | undefined,
): boolean {
  if (model.values.transform !== undefined && model.values.transform.fields.length > 0) return false;
  if (own?.reads(['output']) || when?.reads(['output'])) return true;
  if (values.transaction !== undefined || values.headers !== undefined || typeof values.target === 'object')
    return true;
  return own === undefined && query === undefined && verb !== 'delete';
}

/** The payload that a destination builds for itself: it sees the base payload, and its own fields over it. */
function ownPayload(own: Mapping, frame: Frame): Fields {
  const scope = scopeOf(frame, own);
  return own.fill(scope, own.start(), scope.output);
}

function scopeOf(frame: Frame, own: Mapping): { output: Fields } {
  const scope = Object.create(frame) as Frame & { output: Fields };
  scope.output = { ...(frame.output as Fields | undefined) };
  scope.shaped = scope.output;
  const base: Shaping = {
    repeats: (field) =>
      frame.output === undefined || frame.isSame(field === undefined ? ['output'] : ['output', field]),
  };
  scope.shaping = { repeats: (field) => own.repeats(field, frame, base) };
  return scope;
}

function compileSend(model: FlowModel, destination: Destination, tools: FlowTools, exact: boolean) {
  const { verb, query } = destination;
  const build = compileRequest(model, destination, tools);
  const execute = prepareDestination(model, destination, tools, exact);
  const isRow = query === undefined && !destination.use.abilities.has('call');
  // What a template prints needs no field.
  const needsFields = isRow && verb === 'create' && !destination.use.answersFile(destination.operation);
  const again = isRow && verb === 'create' ? readBack(model, destination, tools, exact) : undefined;
  const settle = (frame: Frame, result: CallResult, payload: Fields | undefined) => {
    frame.affected += result.affected ?? result.rows?.length ?? 0;
    const answer = writeAnswer(result, verb, payload, exact);
    return again !== undefined && frame.message.record === true && isKeyAlone(result)
      ? again(frame, result.key ?? payload?.['id'] ?? result.id, answer)
      : answer;
  };
  return (frame: Frame, payload: Fields | undefined): unknown => {
    const request = build(frame, payload);
    if (needsFields && isEmpty(payload)) throw nothingToWrite(model);
    const result = execute(request);
    return result instanceof Promise
      ? result.then((settled) => settle(frame, settled, payload))
      : settle(frame, result, payload);
  };
}

/** Whether a row was made of which the driver gives nothing but its key. */
function isKeyAlone({ rows, value, affected = 0 }: CallResult): boolean {
  return rows === undefined && value === undefined && affected > 0;
}

/** Reads a row that was made by its key; the answer of the write where the table does not find it so. */
function readBack(model: FlowModel, destination: Destination, tools: FlowTools, exact: boolean) {
  let execute: Execute | undefined;
  return async (frame: Frame, id: unknown, answer: unknown): Promise<unknown> => {
    if (id === undefined || id === null || typeof destination.target !== 'string') return answer;
    execute ??= prepareCall(
      destination.use,
      {
        ...describeDestination(model, destination, exact),
        verb: 'read',
        operation: undefined,
        words: undefined,
        fresh: true,
      },
      tools,
    );
    const request = new FlowRequest(frame);
    request.filters = { id };
    try {
      const { rows } = await execute(request);
      return rows?.length === 1 ? rows[0] : answer;
    } catch {
      // The row is made, whether it can be read or not: a failure now would have it made again.
      return answer;
    }
  };
}

function isEmpty(payload: Fields | undefined): boolean {
  for (const _ in payload) return false;
  return true;
}

function nothingToWrite({ name, values }: FlowModel): Failure {
  const why = values.transform === undefined ? 'the message has no fields' : 'its transform produced no fields';
  return new Failure('nothing_to_write', `flow "${name}" has nothing to write: ${why}`);
}
