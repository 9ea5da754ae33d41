import type { Values } from '@svc/protocol/schema';
import { type CompiledAction, compileAction } from '../../action/action.ts';
import type { Expression } from '../../compile/expression.ts';
import type { FlowTools } from '../../tools.ts';
import { stateMachine } from './spec.ts';

/** One event in one state. */
export interface Transition {
  readonly event: string;
  readonly next: string;
  readonly guard: Expression | undefined;
  readonly action: CompiledAction | undefined;
}

export interface State {
  readonly isFinal: boolean;
  readonly transitions: ReadonlyMap<string, Transition>;
}

/** A state machine compiled for one flow, whose name is in the messages of its actions. */
export interface Machine {
  readonly name: string;
  readonly initial: string;
  readonly states: ReadonlyMap<string, State>;
}

export function compileMachine(name: string, flow: string, tools: FlowTools): Machine {
  const declared = tools.project.all('state_machine', stateMachine).find((each) => each.name === name);
  // Names were resolved when the project was checked.
  if (declared === undefined) throw new Error(`there is no state_machine "${name}"`);
  const { initial, state } = declared.values;
  const states = state.map(({ label, final, on }) => {
    const transitions = on.map((each) => [each.label, compileTransition(name, label, each, flow, tools)] as const);
    return [label, { isFinal: final, transitions: new Map(transitions) }] as const;
  });
  return { name, initial, states: new Map(states) };
}

type On = Values<typeof stateMachine>['state'][number]['on'][number];

function compileTransition(machine: string, state: string, on: On, flow: string, tools: FlowTools): Transition {
  const { label: event, transition_to: next, guard, action } = on;
  const title = `state_machine "${machine}": ${state}.${event}`;
  return {
    event,
    next,
    guard: guard && tools.expression(guard, `${title}: guard`),
    action: action && compileAction(flow, { title: `${title}: action`, values: action }, tools),
  };
}
