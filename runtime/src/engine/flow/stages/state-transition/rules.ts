import type { Project, ProjectRule, Report } from '@svc/protocol/model';
import { originOf, type Values } from '@svc/protocol/schema';
import { closest } from '@svc/protocol/text';
import { flowsOf } from '../../declarations.ts';
import { stateMachine } from './spec.ts';

/** Checks that events lead to states that exist, and that states can be reached. */
export const checkStateMachines: ProjectRule = (project, report) => {
  for (const { name, values } of project.all('state_machine', stateMachine)) checkMachine(name, values, report);
  checkTransitions(project, report);
};

function checkMachine(name: string, { state: states, ...machine }: Values<typeof stateMachine>, report: Report): void {
  const labels = states.map(({ label }) => label);
  // While a file is being written, anything may be missing.
  const exists = (state: string | undefined, at: Parameters<Report>[2]) => {
    if (state === undefined || labels.includes(state)) return;
    const near = closest(state, labels);
    report('unknown-state', `state_machine "${name}" has no state "${state}"`, at, {
      help: near === undefined ? `Write state "${state}" { … } into it.` : `Did you mean "${near}"?`,
    });
  };
  exists(machine.initial, originOf(machine, 'initial'));
  const reached = new Set([machine.initial]);
  for (const state of states) {
    if (state.final && state.on.length > 0)
      report(
        'final-state',
        `the state "${state.label}" is final, and an event leads out of it`,
        originOf(state, 'on'),
        {
          help: 'Remove final, or the event.',
        },
      );
    for (const event of state.on) {
      exists(event.transition_to, originOf(event, 'transition_to'));
      reached.add(event.transition_to);
    }
  }
  if (!labels.includes(machine.initial)) return;
  for (const state of states)
    if (!reached.has(state.label))
      report('unreachable-state', `nothing leads to the state "${state.label}"`, originOf(state), {
        severity: 'info',
        help: 'Entities that are in it already may leave it still.',
      });
}

/** Checks that the place of the entity is written once. */
function checkTransitions(project: Project, report: Report): void {
  for (const { name, values } of flowsOf(project)) {
    const { state_transition: transition, to } = values;
    if (!transition || transition.connector !== undefined || to.length > 0) continue;
    report('missing-attribute', `flow "${name}" does not say where its entity is kept`, originOf(transition), {
      help: 'Write connector = "…" into state_transition.',
    });
  }
}
