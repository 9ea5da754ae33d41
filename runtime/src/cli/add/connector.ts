import { connectorSkeleton, type Known } from '@svc/protocol/language';
import { type BlockSpec, type ConnectorSpec, chooseConnector } from '@svc/protocol/schema';
import { quote } from '@svc/protocol/syntax';
import { UsageError } from '../command.ts';
import { type AddContext, type AddKind, missing } from './kind.ts';

/** `svc add connector`: type and driver, and an environment variable for each required value. */
export const connector: AddKind = {
  name: 'connector',
  word: 'connector',
  folder: 'connectors',
  options: ['type', 'driver'],
  source: (context) => {
    const { name, given, vocabulary } = context;
    const type = given.text('type');
    if (type === undefined) throw new UsageError('name its --type; svc add connector --list shows them');
    const driver = given.text('driver');
    const spec = chosenSpec(type, driver, context);
    const known = knownOf(spec.config, [name]);
    const source = connectorSkeleton(name, type, driver, vocabulary, known);
    const variables = [...source.matchAll(/env\("(\w+)"\)/g)].map(([, variable]) => variable);
    return variables.length === 0 ? source : `${missing(`set ${variables.join(', ')}, for example in .env`)}${source}`;
  },
};

function chosenSpec(type: string, driver: string | undefined, { vocabulary }: AddContext): ConnectorSpec {
  const choice = chooseConnector(vocabulary, type, driver);
  if ('found' in choice) return choice.found;
  const { missing: lacking, known } = choice;
  if (lacking === 'driver-required') throw new UsageError(`${type} needs a --driver: ${known.join(', ')}`);
  const what = lacking.endsWith('type') ? `type "${type}"` : `driver "${driver}" of ${type}`;
  const why = lacking.startsWith('unavailable') ? 'is not available in this version' : 'is unknown';
  throw new UsageError(`${what} ${why}; these exist: ${known.join(', ')}`);
}

/** An environment variable for each required attribute, those of required blocks included. */
function knownOf(spec: BlockSpec, path: readonly string[]): Known {
  const attributes = neededBy(spec).map((name) => [name, `env(${quote(variable([...path, name]))})`]);
  const blocks = Object.entries(spec.blocks).filter(([, { required }]) => required);
  return {
    attributes: Object.fromEntries(attributes),
    blocks: Object.fromEntries(blocks.map(([name, block]) => [name, knownOf(block, [...path, name])])),
  };
}

/** The required attributes, those that are required without another one too; of several alternatives the first one. */
function neededBy({ attributes, rules }: BlockSpec): readonly string[] {
  const required = Object.entries(attributes).flatMap(([name, spec]) => (spec.required ? [name] : []));
  const first = rules.flatMap((rule) => {
    if (rule.rule === 'requiredWhen') return rule.is.includes(undefined) ? [rule.name] : [];
    if (rule.rule !== 'atLeastOneOf' && rule.rule !== 'exactlyOneOf') return [];
    return rule.names.some((name) => required.includes(name)) ? [] : rule.names.slice(0, 1);
  });
  return [...new Set([...required, ...first])].filter((name) => Object.hasOwn(attributes, name));
}

function variable(path: readonly string[]): string {
  return path.join('_').toUpperCase().replace(/\W+/g, '_');
}
