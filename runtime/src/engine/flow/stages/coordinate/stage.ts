import { Fields } from '@svc/protocol/cel';
import type { Values } from '@svc/protocol/schema';
import type { Drop, Outcome } from '../../../../foundation/contracts/outcome.ts';
import type { WatchedStage } from '../../../../foundation/contracts/probe.ts';
import { asFailure } from '../../../../foundation/errors/classify.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { syncStoreOf } from '../../../../platform/sync/stores.ts';
import { FlowRequest, prepareCall } from '../../calls/call.ts';
import { compileArgument, evaluator } from '../../compile/argument.ts';
import { type Expression, kindOf, unusable } from '../../compile/expression.ts';
import type { Frame } from '../../message/frame.ts';
import type { AroundPart, RuleWatch, Run, StepPart } from '../../message/part.ts';
import { numbered, watched } from '../../message/watched.ts';
import type { FlowModel } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';
import type { coordinate as spec } from './spec.ts';
import { awaitSignal } from './waiting.ts';

type Block = Values<typeof spec>;

/** The result of a flow, kept for the condition of its signal. */
const made = new WeakMap<Frame, unknown>();

/** Keeps what `output` means for the signal of a flow: what the transform built, else what the destination answered. */
export function coordinated({ values }: FlowModel): StepPart[] {
  if (!values.coordinate?.signal) return [];
  return [
    {
      stage: undefined,
      name: '',
      title: 'coordinate',
      step: (frame) => {
        made.set(frame, frame.output ?? frame.answer);
        return undefined;
      },
    },
  ];
}

/** Lets messages wait for the signals of others, and gives them (docs/specification/state.md#coordination). */
export function coordinate(model: FlowModel, tools: FlowTools): AroundPart[] {
  const { coordinate: block } = model.values;
  if (!block) return [];
  const wait = block.wait && compileWait(model.name, block, block.wait, tools);
  const signal = block.signal && compileSignal(model.name, block, block.signal, tools);
  const finish = async (frame: Frame, outcome: Outcome, announce?: Parameters<NonNullable<AroundPart['split']>>[0]) => {
    if (signal === undefined || outcome.kind === 'drop' || frame.failure !== undefined) return outcome;
    // An answer from a cache: the work that the signal announces was done by an earlier message.
    if (!made.has(frame)) return outcome;
    if (announce === undefined) await signal.give(frame, undefined);
    else await announce(signal.place, frame, (watch) => signal.give(frame, watch));
    return outcome;
  };
  return [
    {
      title: 'coordinate',
      around: (next: Run) => async (frame) => {
        const dropped = wait && (await wait.pass(frame, undefined));
        return dropped ?? finish(frame, await next(frame));
      },
      places: [wait?.place, signal?.place].filter((place) => place !== undefined),
      split: (announce) => (next) => async (frame) => {
        const dropped = wait && (await announce(wait.place, frame, (watch) => wait.pass(frame, watch)));
        return (dropped as Drop | undefined) ?? finish(frame, await next(frame), announce);
      },
    },
  ];
}

function compileWait(flow: string, block: Block, { when, for: name }: NonNullable<Block['wait']>, tools: FlowTools) {
  const { families, clock } = tools.services;
  const store = syncStoreOf(block.storage, tools.services, `coordinate of flow "${flow}"`);
  const condition = tools.expression(when, 'coordinate: wait.when');
  const key = tools.expression(name, 'coordinate: wait.for');
  const preflight = block.preflight && compilePreflight(flow, block.preflight, tools);
  const counts = {
    waits: families.coordinateWaits.of(flow),
    active: families.coordinateActiveWaits.of(flow),
    timeouts: families.coordinateTimeouts.of(flow),
    hits: families.coordinatePreflightHits.of(flow),
    seconds: families.coordinateWaitSeconds.of(flow),
  };
  const { timeout, max_concurrent_waits: most, max_retries: retries, on_timeout: onTimeout } = block;

  const waitFor = async (frame: Frame, signal: string): Promise<boolean> => {
    if (most > 0 && counts.active.value >= most)
      throw new Failure(
        'overloaded',
        `flow "${flow}": ${most} messages wait already (coordinate.max_concurrent_waits)`,
      );
    const began = clock.reading();
    counts.waits.value++;
    counts.active.value++;
    try {
      const waits = onTimeout === 'retry' ? retries + 1 : 1;
      for (let tried = 0; tried < waits; tried++) {
        if (await awaitSignal(store, signal, timeout, clock, frame.waitSignal)) return true;
        counts.timeouts.value++;
      }
      return false;
    } finally {
      counts.active.value--;
      counts.seconds.observe(clock.since(began) / 1000);
    }
  };
  const settle = async (frame: Frame, signal: string): Promise<Drop | undefined> => {
    if (preflight !== undefined && (await preflight(frame))) {
      counts.hits.value++;
      return undefined;
    }
    if (await waitFor(frame, signal)) return undefined;
    if (onTimeout === 'skip' || onTimeout === 'pass') return undefined;
    if (onTimeout !== 'ack')
      throw new Failure('wait_timeout', `flow "${flow}": the signal of coordinate.wait did not come within its time`, {
        retryAfter: 1000,
      });
    return {
      kind: 'drop',
      reason: 'coordinate_timeout',
      block: 'coordinate',
      policy: 'ack',
      expression: key.program.source,
      values: () => ({ for: signal, timeout }),
      messageId: '',
    };
  };
  const place: WatchedStage = {
    stage: 'coordinate',
    name: 'wait',
    rules: numbered([
      { target: 'when', expression: condition.program.source },
      { target: 'for', expression: key.program.source },
    ]),
  };
  return {
    place,
    /** Resolves when the message may continue, with a drop when it may not. */
    pass: async (frame: Frame, watch: RuleWatch | undefined): Promise<Drop | undefined> => {
      if (watch === undefined) return condition.isTrue(frame) ? settle(frame, nameOf(key, frame)) : undefined;
      if (!(await watched(watch, 0, frame, () => condition.isTrue(frame)))) return undefined;
      return settle(frame, await watched(watch, 1, frame, () => nameOf(key, frame)));
    },
  };
}

/** Whether what is waited for exists already. A check that fails is logged, and the message waits. */
function compilePreflight(flow: string, block: NonNullable<Block['preflight']>, tools: FlowTools) {
  const { log } = tools.services;
  const expression: FlowTools['expression'] = (source, title) => tools.expression(source, title);
  const params = evaluator(block.params && compileArgument(block.params, expression, 'coordinate: preflight.params'));
  const execute = prepareCall(
    tools.connector(block.connector),
    { verb: 'read', query: block.query, flow, label: 'coordinate: preflight' },
    tools,
  );
  return async (frame: Frame): Promise<boolean> => {
    const request = new FlowRequest(frame);
    request.params = Object.assign(new Fields(), params?.(frame));
    let found: boolean;
    try {
      const { rows = [] } = await execute(request);
      found = rows.length > 0;
    } catch (error) {
      const { code, message } = asFailure(error);
      if (code === 'cancelled') throw error;
      log.warn('coordinate.preflight failed and the message waits', { flow, code, error: message });
      return false;
    }
    if (found && block.if_exists === 'fail')
      throw new Failure('flow_failed', `flow "${flow}": coordinate.preflight has found a row`);
    return found;
  };
}

function compileSignal(
  flow: string,
  block: Block,
  { when, emit, ttl }: NonNullable<Block['signal']>,
  tools: FlowTools,
) {
  const { families, log } = tools.services;
  const store = syncStoreOf(block.storage, tools.services, `coordinate of flow "${flow}"`);
  const condition = tools.expression(when, 'coordinate: signal.when');
  const name = tools.expression(emit, 'coordinate: signal.emit');
  const given = families.coordinateSignals.of(flow);
  const place: WatchedStage = {
    stage: 'coordinate',
    name: 'signal',
    rules: numbered([
      { target: 'when', expression: condition.program.source },
      { target: 'emit', expression: name.program.source },
    ]),
  };
  return {
    place,
    /** The flow has done its work: a signal that cannot be given is logged and changes nothing. */
    give: async (frame: Frame, watch: RuleWatch | undefined): Promise<void> => {
      const scope = Object.create(frame, { output: { value: made.get(frame), writable: true } }) as Frame;
      const rule = <T>(index: number, work: () => T) => (watch ? watched(watch, index, scope, work) : work());
      try {
        if (!(await rule(0, () => condition.isTrue(scope)))) return;
        await store.signal(await rule(1, () => nameOf(name, scope)), ttl);
        given.value++;
      } catch (error) {
        const { code, message } = asFailure(error);
        log.error('a signal was not given', { flow, code, error: message });
      }
    },
  };
}

/** The name of a signal: a text that is not empty. */
function nameOf(expression: Expression, scope: object): string {
  const value = expression.evaluate(scope);
  if (typeof value === 'string' && value !== '') return value;
  throw unusable(`${expression.title} must give a text, not ${kindOf(value)}`, expression, scope);
}
