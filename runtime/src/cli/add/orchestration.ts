import { quote } from '@svc/protocol/syntax';
import { UsageError } from '../command.ts';
import { triggerOf } from './flow.ts';
import { type AddContext, type AddKind, chosen, existing, missing, namesOf } from './kind.ts';

/** `svc add aspect`: what happens around flows whose names match. */
export const aspect: AddKind = {
  name: 'aspect',
  word: 'aspect',
  folder: 'aspects',
  options: ['on', 'when', 'action-connector', 'action-flow', 'target'],
  source: (context) => {
    const { name, given, project, vocabulary } = context;
    const on = given.list('on');
    if (on.length === 0) throw new UsageError('name the flows with --on, such as --on "create_*"');
    const flows = [...namesOf('flow', project), ...namesOf('saga', project)];
    for (const pattern of on)
      if (!flows.some((flow) => globOf(pattern).test(flow)))
        throw new UsageError(`no flow is named like "${pattern}"; these exist: ${flows.join(', ')}`);
    const when = given.text('when');
    const choices = (vocabulary.blocks['aspect']?.attributes['when']?.choices ?? []).map(String);
    if (when !== undefined && choices.length > 0) chosen('phase', when, choices);
    if (when === 'around')
      throw new UsageError('an action runs before, after, on_error or on_drop; what runs around is written by hand');
    const phase = when === undefined ? missing(`when = "${choices[0] ?? 'before'}"`) : `when = ${quote(when)}\n`;
    const patterns = on.map(quote).join(', ');
    return `aspect ${quote(name)} {\non = [${patterns}]\n${phase}action {\n${actionOf(context)}}\n}`;
  },
};

function actionOf({ given, project }: AddContext): string {
  const [connector, flow, target] = ['action-connector', 'action-flow', 'target'].map((option) => given.text(option));
  if (connector === undefined && flow === undefined)
    throw new UsageError('say what it does: --action-connector or --action-flow');
  if (connector !== undefined && flow !== undefined)
    throw new UsageError('an action is one of --action-connector and --action-flow');
  if (flow !== undefined) {
    if (target !== undefined) throw new UsageError('--target belongs to --action-connector');
    return `flow = ${quote(existing('flow', flow, project))}\n`;
  }
  const asked = `connector = ${quote(existing('connector', connector ?? '', project))}\n`;
  if (target === undefined) return `${asked}${missing('operation, target, transform')}`;
  return `${asked}target = ${quote(target)}\n${missing('operation, transform { … }, what is written')}`;
}

/** `*` any run, `?` one character, `[a-z]` and `[^a]` classes. */
function globOf(pattern: string): RegExp {
  const source = pattern.replace(/\[\^?[^\]]+\]|[*?]|[^\w\s]/g, (part) => {
    if (part === '*') return '.*';
    if (part === '?') return '.';
    return part.startsWith('[') && part.length > 2 ? part : `\\${part}`;
  });
  return new RegExp(`^${source}$`, 's');
}

/** `svc add saga`: steps that are undone when a later one fails. */
export const saga: AddKind = {
  name: 'saga',
  word: 'saga',
  sharesNamesWith: 'flow',
  folder: 'sagas',
  options: ['from', 'operation', 'steps'],
  source: (context) => {
    const { name, given } = context;
    if (given.text('from') === undefined) throw new UsageError('name the connector that starts it with --from');
    const steps = unique('step', given.list('steps')).map((step) => `\nstep ${quote(step)} {\n${stepBody}}\n`);
    const body = steps.length === 0 ? missing('step "…" { action { … } compensate { … } }') : steps.join('');
    return `saga ${quote(name)} {\n${triggerOf(context)}${body}}`;
  },
};

const stepBody = `action {\n${missing('connector, operation, target')}}\ncompensate {\n${missing('what undoes it')}}\n`;

/** `svc add state-machine`: states and where it begins. */
export const stateMachine: AddKind = {
  name: 'state-machine',
  word: 'state_machine',
  folder: 'state_machines',
  options: ['states', 'initial'],
  source: ({ name, given }) => {
    const states = unique('state', given.list('states'));
    const initial = given.text('initial') ?? states[0];
    if (initial !== undefined && !states.includes(initial))
      throw new UsageError(
        `--initial "${initial}" is not one of the states${states.length === 0 ? '' : `: ${states.join(', ')}`}`,
      );
    const head = initial === undefined ? missing('initial = "…"') : `initial = ${quote(initial)}\n`;
    const event = missing('on "event" { transition_to = "…" }, or final = true');
    const blocks = states.map((state) => `\nstate ${quote(state)} {\n${event}}\n`);
    const body = blocks.length === 0 ? missing('state "…" { on "event" { transition_to = "…" } }') : blocks.join('');
    return `state_machine ${quote(name)} {\n${head}${body}}`;
  },
};

function unique(what: string, names: readonly string[]): readonly string[] {
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new UsageError(`there are two of ${what} "${twice}"`);
  return names;
}
