import type { ConnectorSpec } from '@svc/protocol/schema';
import { quote } from '@svc/protocol/syntax';
import { type FieldDefinitionNode, print, type TypeNode } from 'graphql';
import { connectors } from '../../../connectors/catalog.ts';
import { parseReturns, returnScalars } from '../../../engine/flow/returns.ts';
import { type ContractSource, type ImportedFile, missing } from '../contract.ts';
import { snake } from '../names.ts';
import { type Definitions, innermost, type RootType } from './definitions.ts';

/** The server of a schema file. */
export function connectorText(name: string, schema: string): string {
  const { type, driver = '' } = connectors['graphql/server'] as ConnectorSpec;
  const kind = `type = ${quote(type)}\ndriver = ${quote(driver)}\n`;
  return `connector ${quote(name)} {\n${kind}schema {\npath = ${quote(schema)}\n}\n}`;
}

/** A flow for each field of a root type, and for each field with arguments of another one. */
export function flowsOf(definitions: Definitions, source: ContractSource, left: string[]): readonly ImportedFile[] {
  const taken = new Set<string>();
  const named = (root: string, field: string) => {
    const plain = snake(field);
    const name = taken.has(plain) ? `${plain}_${root.toLowerCase()}` : plain;
    taken.add(name);
    return name;
  };
  const flow = (owner: string, field: FieldDefinitionNode, answer: string) => {
    const name = named(owner, field.name.value);
    const body = `from {\nconnector = ${quote(source.connector)}\noperation = ${quote(`${owner}.${field.name.value}`)}\n}\n`;
    const returns = returnsOf(field.type, definitions);
    const text = `${commentOf(field)}flow ${quote(name)} {\n${returns}${body}${inputOf(field, definitions)}${answer}}`;
    return { path: `flows/${name}.hcl`, text };
  };
  const roots = [...definitions.roots].flatMap(([root, fields]) =>
    fields.filter(({ name }) => !isReserved(name.value)).map((field) => flow(root, field, answerOf(root, field))),
  );
  const inner = [...definitions.objects.values()].flatMap(({ name, fields }) =>
    fields
      .filter(({ name: { value }, arguments: args = [] }) => args.length > 0 && !isReserved(value))
      .map((field) =>
        flow(name, field, missing(`what ${field.name.value} is; the object around it is in input.parent_…`)),
      ),
  );
  for (const [root, fields] of definitions.roots)
    for (const { name } of fields)
      if (isReserved(name.value)) left.push(`${root}.${name.value}: names that begin with __ belong to GraphQL`);
  if (roots.length === 0) left.push('no field of Query, Mutation or Subscription: no flow was written');
  return [...roots, ...inner];
}

function isReserved(name: string): boolean {
  return name.startsWith('__');
}

/** Publishing flows name the field in `to`; this one begins the subscription. */
function answerOf(root: RootType, { name, type }: FieldDefinitionNode): string {
  if (root === 'Subscription')
    return missing(`events come from flows with to { operation = "Subscription.${name.value}" }`);
  return missing(`what it does and answers: step, transform, to, response (${innermost(type)})`);
}

function commentOf({ description }: FieldDefinitionNode): string {
  if (description === undefined) return '';
  return description.value
    .split(/\r?\n/)
    .map((line) => `# ${line}\n`)
    .join('');
}

/** What the flow returns, where that is a type or a list of one. */
function returnsOf(type: TypeNode, { objects }: Definitions): string {
  const isKnown = objects.has(innermost(type)) || (returnScalars as readonly string[]).includes(innermost(type));
  const text = print(type);
  return isKnown && parseReturns(text) !== undefined ? `returns = ${quote(text)}\n` : '';
}

/** An argument `input` is the message itself, so that its type checks the message. */
function inputOf({ arguments: args = [] }: FieldDefinitionNode, { inputs }: Definitions): string {
  const [only, ...others] = args;
  if (only === undefined || others.length > 0 || only.name.value !== 'input') return '';
  const name = innermost(only.type);
  return inputs.has(name) ? `validate {\ninput = ${quote(name)}\n}\n` : '';
}
