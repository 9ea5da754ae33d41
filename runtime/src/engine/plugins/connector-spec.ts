import { coerce, EvaluationError, evaluate, type Report } from '@svc/protocol/model';
import {
  type AttributeSpec,
  block,
  type ConnectorSpec,
  connector,
  type ExpressionSource,
  flag,
  float,
  type Origin,
  text,
  value,
} from '@svc/protocol/schema';
import type { Expression } from '@svc/protocol/syntax';
import { closest } from '@svc/protocol/text';
import { everyConnector, operationAttributes, operationLabel, param } from '../../connectors/core/spec.ts';

const kinds = { string: text, number: float, bool: flag } as const;
type Kind = keyof typeof kinds;

const about = block({
  doc: 'What is said of a field of the block of a connector.',
  attributes: {
    type: text('`string`, `number` or `bool`, where the field is an object.'),
    required: flag('The field must be written.', { default: false }),
    sensitive: flag('Its value is a secret: it is never shown.', { default: false }),
    description: text('What the field is.'),
    default: value('The value where it is not written.'),
  },
});

/** A field of the block of such a connector, as the manifest has it. */
export interface ConfigField {
  readonly name: string;
  readonly value: ExpressionSource;
  readonly origin: Origin;
}

/** What a manifest says of a type of connectors besides its fields. */
interface ProvidedType {
  readonly type: string;
  readonly description: string | undefined;
  /** File of the icon, relative to the configuration directory or absolute. */
  readonly icon: string | undefined;
}

/** The spec of connectors of a type that a plugin provides. Without fields its block takes any attribute. */
export function connectorSpec(
  { type, description, icon }: ProvidedType,
  fields: readonly ConfigField[] | undefined,
  report: Report,
): ConnectorSpec {
  const attributes = Object.fromEntries(
    (fields ?? []).flatMap((field) => {
      const spec = fieldSpec(field, report);
      return spec === undefined ? [] : [[field.name, spec] as const];
    }),
  );
  return connector({
    type,
    icon,
    config: block({
      doc: description ?? `A connector of the plugin that provides the type ${type}.`,
      attributes: { ...everyConnector.attributes, ...attributes },
      ...(fields === undefined && { fields: value('Whatever the plugin reads.') }),
    }),
    operation: block({
      doc: 'Something that the plugin is asked for, by a name of its own.',
      label: operationLabel,
      repeated: true,
      attributes: {
        ...operationAttributes,
        method: text('Method of what is asked, such as `GET`.'),
        path: text('Path of what is asked, such as `/orders/:id`.'),
        query: text('Query of what is asked.'),
        table: text('Target of what is asked.'),
      },
      blocks: { param },
    }),
    target: { abilities: ['read', 'write', 'call'], needsOneOf: ['operation', 'target', 'query'] },
  });
}

function fieldSpec(
  { name, value: { expression, origin: at } }: ConfigField,
  report: Report,
): AttributeSpec | undefined {
  const refuse = (message: string, help: string) => {
    report('wrong-kind', message, { file: at.file, range: expression }, { help });
    return undefined;
  };
  const written = typeOf(expression);
  const kind = written.type === 'boolean' ? 'bool' : written.type;
  if (kind === undefined || !Object.hasOwn(kinds, kind))
    return refuse(
      `the field ${name} needs one of the types string, number and bool`,
      closest(String(kind), Object.keys(kinds))
        ? `Did you mean ${closest(String(kind), Object.keys(kinds))}?`
        : 'Write string, or string({ required = true }).',
    );
  if (['type', 'driver', 'health', 'operation', 'profile'].includes(name))
    return refuse(`a field cannot be named ${name}: every connector has a word of that name`, 'Give it another name.');
  const build = kinds[kind as Kind] as (doc: string, options?: object) => AttributeSpec;
  const said: Record<string, unknown> = {};
  for (const entry of written.entries) {
    const word = entry.key.kind === 'variable' ? entry.key.name : textOf(entry.key);
    const spec = word === undefined ? undefined : about.attributes[word as keyof typeof about.attributes];
    if (word === undefined || spec === undefined)
      return refuse(
        `the field ${name} says ${word ?? 'something'}, which no field has`,
        'These exist: required, sensitive, description, default.',
      );
    try {
      const coerced = coerce(
        evaluate(entry.value, { host: noHost, variables: {} }),
        word === 'default' ? build('') : spec,
      );
      if (!('value' in coerced)) return refuse(`${word} of the field ${name} ${coerced.problem}`, coerced.help ?? '');
      said[word] = coerced.value;
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      return refuse(error.message, error.help ?? '');
    }
  }
  const { required, sensitive, description = 'A field of the plugin.', default: standard } = said;
  return build(String(description), {
    required: required === true,
    secret: sensitive === true,
    ...(standard !== undefined && { default: standard }),
  });
}

type Entries = Extract<Expression, { kind: 'object' }>['entries'];

/** `string`, `"string"`, `string({ … })` or `{ type = "string", … }`. */
function typeOf(expression: Expression): { readonly type: string | undefined; readonly entries: Entries } {
  if (expression.kind === 'variable') return { type: expression.name, entries: [] };
  if (expression.kind === 'call') {
    const [argument, ...others] = expression.arguments;
    if (argument === undefined) return { type: expression.name.text, entries: [] };
    if (others.length > 0 || argument.kind !== 'object') return { type: undefined, entries: [] };
    return { type: expression.name.text, entries: argument.entries };
  }
  if (expression.kind === 'object') {
    const isType = ({ key }: Entries[number]) => (key.kind === 'variable' ? key.name : textOf(key)) === 'type';
    const type = expression.entries.find(isType);
    const inner = type && typeOf(type.value).type;
    return { type: inner, entries: expression.entries.filter((entry) => !isType(entry)) };
  }
  return { type: textOf(expression), entries: [] };
}

function textOf(expression: Expression): string | undefined {
  try {
    const found = evaluate(expression, { host: noHost, variables: {} });
    return typeof found === 'string' ? found : undefined;
  } catch {
    return undefined;
  }
}

const noHost = {
  env: () => undefined,
  readFile: () => {
    throw new Error('files cannot be read in a manifest');
  },
  absolutePath: (path: string) => path,
};
