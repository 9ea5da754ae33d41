import type { Project, ProjectRule, Report } from '@svc/protocol/model';
import { originOf, type Values } from '@svc/protocol/schema';
import { closest } from '@svc/protocol/text';
import { stateMachine } from '../flow/stages/state-transition/spec.ts';
import { flowsOf } from './flow-places.ts';

/** States and events are unique, lead somewhere, and can be reached (supplement-flows 2.4). */
export const checkStateMachines: ProjectRule = (project, report) => {
  for (const { name, values } of project.all('state_machine', stateMachine)) checkMachine(name, values, report);
  checkTransitions(project, report);
};

function checkMachine(name: string, { state: states, ...machine }: Values<typeof stateMachine>, report: Report): void {
  const labels = states.map(({ label }) => label);
  const exists = (state: string, at: Parameters<Report>[2]) => {
    if (labels.includes(state)) return;
    const near = closest(state, labels);
    report('unknown-state', `state_machine "${name}" has no state "${state}"`, at, {
      help: near === undefined ? `Write state "${state}" { … } into it.` : `Did you mean "${near}"?`,
    });
  };
  exists(machine.initial, originOf(machine, 'initial'));
  const reached = new Set([machine.initial]);
  for (const [at, state] of states.entries()) {
    if (labels.indexOf(state.label) !== at)
      report('duplicate-name', `state_machine "${name}" has the state "${state.label}" twice`, originOf(state), {
        help: 'Write its events into one block.',
      });
    if (state.final && state.on.length > 0)
      report('final-state', `the state "${state.label}" is final, and an event leads out of it`, originOf(state, 'on'), {
        help: 'Remove final, or the event.',
      });
    const events = state.on.map(({ label }) => label);
    for (const [index, event] of state.on.entries()) {
      if (events.indexOf(event.label) !== index)
        report('duplicate-name', `the state "${state.label}" has the event "${event.label}" twice`, originOf(event), {
          help: 'Tell them apart in one block, or name one of them otherwise.',
        });
      exists(event.transition_to, originOf(event, 'transition_to'));
      reached.add(event.transition_to);
    }
  }
  for (const state of states)
    if (!reached.has(state.label))
      report('unreachable-state', `nothing leads to the state "${state.label}"`, originOf(state), {
        severity: 'info',
        help: 'Entities that are in it already may leave it still.',
      });
}

/** Where the entity is kept is said once. */
function checkTransitions(project: Project, report: Report): void {
  for (const { name, values } of flowsOf(project)) {
    const { state_transition: transition, to } = values;
    if (!transition || transition.connector !== undefined || to.length > 0) continue;
    report('missing-attribute', `flow "${name}" does not say where its entity is kept`, originOf(transition), {
      help: 'Write connector = "…" into state_transition.',
    });
  }
}
