import type { WatchedStage } from '../../../../foundation/contracts/probe.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { type Expression, kindOf, unusable } from '../../compile/expression.ts';
import type { Frame } from '../../message/frame.ts';
import type { RuleWatch, StepPart } from '../../message/part.ts';
import { numbered, watched } from '../../message/watched.ts';
import type { FlowModel } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';
import { compileEntities } from './entity.ts';
import { compileMachine, type Machine, type State, type Transition } from './machine.ts';

/**
 * The whole work of a flow with a `state_transition` (docs/specification/flow.md#state-machines): guard, action, write,
 * in this order.
 */
export function stateTransition(model: FlowModel, tools: FlowTools): readonly StepPart[] | undefined {
  const { state_transition: block, to } = model.values;
  if (!block) return undefined;
  const { name: flow } = model;
  const machine = compileMachine(block.machine, flow, tools);
  const connector = block.connector ?? to[0]?.connector;
  // A flow that names no connector was refused when the project was checked.
  if (connector === undefined) throw new Error(`flow "${flow}" does not say where its entity is kept`);
  const entities = compileEntities(flow, connector, block.entity, tools);
  const id = tools.expression(block.id, 'state_transition: id');
  const event = tools.expression(block.event, 'state_transition: event');
  const data = block.data && tools.expression(block.data, 'state_transition: data');
  const guards = [...machine.states].flatMap(([state, { transitions }]) =>
    [...transitions.values()].flatMap((each) => (each.guard === undefined ? [] : [{ state, each, guard: each.guard }])),
  );
  const own = [id, event, ...(data === undefined ? [] : [data])];
  const place: WatchedStage = {
    stage: 'state_transition',
    name: machine.name,
    rules: numbered([
      ...['id', 'event', 'data']
        .slice(0, own.length)
        .map((target, at) => ({ target, expression: own[at]?.program.source ?? '' })),
      ...guards.map(({ state, each, guard }) => ({
        target: `${state}.${each.event}: guard`,
        expression: guard.program.source,
      })),
    ]),
  };

  const run = async (frame: Frame, watch: RuleWatch | undefined): Promise<undefined> => {
    const rule = <T>(index: number, scope: object, work: () => T) =>
      watch ? watched(watch, index, scope, work) : work();
    const entity = idOf(await rule(0, frame, () => id.evaluate(frame)), id, frame);
    const name = await rule(1, frame, () => textOf(event, frame));
    const given = data && (await rule(2, frame, () => data.evaluateIfPresent(frame)));
    const scope = given === undefined ? frame : scopeWith(frame, given, data);
    const held = await entities.stateOf(frame, entity);
    const state = held === null || held === '' ? machine.initial : String(held);
    const transition = transitionOf(machine, state, name);
    const { guard, action, next } = transition;
    if (guard !== undefined) {
      const index = own.length + guards.findIndex(({ each }) => each === transition);
      const passes = await rule(index, scope, () => guard.isTrue(scope));
      if (!passes) throw refused(machine, `the guard of "${name}" does not let it leave "${state}"`);
    }
    const result = action === undefined ? undefined : await action.run(scope);
    if (!(await entities.move(frame, entity, held, next)))
      throw refused(machine, `the entity left "${state}" meanwhile`, true);
    frame.answer = {
      entity_id: entity,
      machine: machine.name,
      previous_state: state,
      current_state: next,
      event: name,
      ...(action === undefined ? {} : { action_result: result ?? null }),
    };
    return undefined;
  };

  return [
    {
      stage: place.stage as 'state_transition',
      name: place.name,
      title: 'state_transition',
      rules: place.rules,
      step: (frame) => run(frame, undefined),
      ruled: (watch) => (frame) => run(frame, watch),
    },
  ];
}

function transitionOf(machine: Machine, state: string, event: string): Transition {
  const known: State | undefined = machine.states.get(state);
  if (known === undefined)
    throw new Failure('flow_failed', `state_machine "${machine.name}" has no state "${state}", which the entity is in`);
  if (known.isFinal) throw refused(machine, `the state "${state}" is final`);
  const transition = known.transitions.get(event);
  if (transition !== undefined) return transition;
  const valid = [...known.transitions.keys()].map((each) => `"${each}"`).join(', ');
  throw refused(machine, `the state "${state}" has no event "${event}"${valid === '' ? '' : `; it has ${valid}`}`);
}

function refused({ name }: Machine, why: string, retriable = false): Failure {
  return new Failure('transition_refused', `state_machine "${name}": ${why}`, { retriable });
}

function idOf(value: unknown, made: Expression, frame: Frame): unknown {
  if (typeof value === 'bigint' || typeof value === 'number' || (typeof value === 'string' && value !== ''))
    return value;
  throw unusable(`state_transition: id must give a text or a number, not ${kindOf(value)}`, made, frame);
}

function textOf(event: Expression, frame: Frame): string {
  const value = event.evaluate(frame);
  if (typeof value === 'string') return value;
  throw unusable(`state_transition: event must give a text, not ${kindOf(value)}`, event, frame);
}

/** The frame with the data of the transition as `input`. */
function scopeWith(frame: Frame, data: unknown, made: Expression | undefined): Frame {
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw unusable(`state_transition: data must give an object, not ${kindOf(data)}`, made, frame);
  return Object.create(frame, { input: { value: data, writable: true } }) as Frame;
}
