import { typeName, type VariableDeclaration } from '../../cel/index.ts';
import type { AttributeSpec } from '../../schema/index.ts';
import { type Block, type Expression, literalText } from '../../syntax/index.ts';
import { namesOf } from '../name-lookup.ts';
import type { FileState, ProjectState } from '../states.ts';
import type { LanguageSupport, Parameter } from '../support.ts';
import { nameIn, rootOf, type WrittenBody, type WrittenValue } from '../written.ts';
import { type Field, type Shape, shapeOfBlock, shapeOfConstant, shapeOfType } from './shape.ts';

/** A name that an expression may use at its place, with what is known of its fields. */
export interface Variable {
  readonly name: string;
  readonly detail: string;
  readonly doc: string | undefined;
  readonly shape: Shape | undefined;
}

/**
 * The variables of an expression: those its attribute reads, elements of the loops around it, those that exist
 * everywhere.
 */
export function variablesAt(
  value: WrittenValue,
  spec: AttributeSpec,
  file: FileState,
  state: ProjectState,
  support: LanguageSupport,
): readonly Variable[] {
  return support.variables(variablesRead(value, spec)).map((declaration) => ({
    name: declaration.name,
    detail: typeName(declaration.type),
    doc: declaration.doc,
    shape: shapeOf(declaration, value, file, state, support),
  }));
}

/** Names of the variables that an expression may read besides those that exist everywhere. */
export function variablesRead(value: WrittenValue, spec: AttributeSpec): readonly string[] {
  return [...new Set([...(spec.reads ?? []), ...loopNames(value.body)])];
}

/** Element and position of every loop around a body. */
function loopNames(body: WrittenBody): readonly string[] {
  const names: string[] = [];
  for (let at: WrittenBody | undefined = body; at !== undefined; at = at.outer) {
    const name = at.spec?.over === undefined ? undefined : at.block?.labels[0]?.text;
    if (name !== undefined) names.push(name, `${name}_index`);
  }
  return names;
}

/** What a shape is gathered from. */
interface Surroundings {
  readonly state: ProjectState;
  readonly support: LanguageSupport;
  /** The fields found so far. */
  readonly fields: Map<string, Field>;
  /** The definitions that were looked at. */
  readonly looked: Set<Block>;
}

function shapeOf(
  { name, type }: VariableDeclaration,
  value: WrittenValue,
  file: FileState,
  state: ProjectState,
  support: LanguageSupport,
): Shape | undefined {
  if (name === 'constants') return shapeOfConstant(state.project.constants);
  const fields = new Map<string, Field>(shapeOfType(type)?.fields);
  addKnown(name, value, file, { state, support, fields, looked: new Set() });
  return fields.size === 0 ? undefined : { fields };
}

/** What the root block around a value tells of a variable; of a definition, all that the blocks tell that use it. */
function addKnown(name: string, value: WrittenValue, file: FileState, around: Surroundings): void {
  const root = rootOf(value.body);
  const { fields, looked } = around;
  if (root?.block && root.spec?.reusable) {
    // Definitions that use each other in a circle are refused, but the user may be writing one.
    if (looked.has(root.block)) return;
    looked.add(root.block);
    for (const use of usesOf(root, around.state)) addKnown(name, use.value, use.file, around);
  }
  for (const body of file.written.bodies) addResult(name, body, root?.block, value, fields);
  for (const other of file.written.values)
    if (other.spec?.tells === name && rootOf(other.body)?.block === root?.block) addFields(other, file, around);
  if (value.isField && value.body.spec?.builds === name)
    for (const other of file.written.values)
      if (other.body === value.body && other.isField && other.name.start < value.name.start)
        fields.set(other.name.text, { detail: 'built above', doc: undefined, shape: undefined });
}

interface Use {
  readonly file: FileState;
  readonly value: WrittenValue;
}

/** Every place that uses a definition. */
function usesOf({ block }: WrittenBody, { files }: ProjectState): readonly Use[] {
  const word = block?.type.text ?? '';
  const name = block?.labels[0]?.text;
  const names = (expression: Expression | undefined): boolean =>
    expression?.kind === 'list' ? expression.items.some(names) : nameIn(expression, word) === name;
  return [...files.values()].flatMap((file) =>
    file.written.values
      .filter(({ spec, value }) => spec?.kind === 'reference' && spec.refersTo === word && value && names(value))
      .map((value) => ({ file, value })),
  );
}

/** Labels of blocks whose result the variable holds; inside such a block, those of the blocks above it. */
function addResult(
  name: string,
  body: WrittenBody,
  root: WrittenBody['block'],
  value: WrittenValue,
  fields: Map<string, Field>,
): void {
  const label = body.block?.labels[0]?.text;
  if (body.spec?.result !== name || label === undefined || rootOf(body)?.block !== root) return;
  for (let at: WrittenBody | undefined = value.body; at !== undefined; at = at.outer)
    if (at.spec?.result === name && (body.block?.start ?? 0) >= (at.block?.start ?? 0)) return;
  fields.set(label, { detail: `result of ${body.block?.type.text} "${label}"`, doc: undefined, shape: undefined });
}

/** What a reference or a text elsewhere in the block tells about the fields of a variable. */
function addFields(naming: WrittenValue, file: FileState, around: Surroundings): void {
  const { state, support, fields } = around;
  const { spec, value } = naming;
  const name = nameIn(value, spec?.refersTo ?? '');
  if (spec === undefined || name === undefined) return;
  if (spec.kind !== 'reference') {
    fields.set(name, { detail: `${naming.name.text} = "${name}"`, doc: undefined, shape: undefined });
    return;
  }
  if (spec.refersTo !== 'connector') {
    for (const [field, known] of shapeOfBlock(spec.refersTo as string, name, state)?.fields ?? [])
      fields.set(field, known);
    return;
  }
  const connector = state.project.connectors.get(name);
  const source = connector?.spec?.source;
  const beside = file.written.values.find(
    (other) => other.body === naming.body && other.spec?.refersTo === 'operation' && other.value,
  );
  const operation = literalText(beside?.value) ?? '';
  const meant = connector && support.operation(connector, operation);
  const operations = namesOf('operation', state, name).filter((declared) => declared.name === operation);
  const written = [
    ...operations.flatMap(({ file, declares }) =>
      (declares?.body.items ?? []).flatMap((item) => (item.kind === 'attribute' ? [{ file, value: item.value }] : [])),
    ),
    { file: file.tree.file, value: beside?.value },
  ];
  for (const field of source?.parameters?.(meant ?? operation) ?? []) {
    const [place] = written.flatMap(({ file, value }) => parameterIn(field, file, value) ?? []);
    fields.set(field, { detail: 'parameter of the operation', doc: undefined, shape: undefined, place });
  }
  for (const [field, doc] of Object.entries(source?.input ?? {}))
    fields.set(field, { detail: `of every message of ${name}`, doc, shape: undefined });
  if (operations.length === 0) return;
  const asked = beside === undefined ? [] : support.parameters(connector, new Map([[beside.name.text, operation]]));
  const parameters = new Map(asked.map((parameter) => [parameter.name, parameter]));
  for (const { file, declares } of operations) if (declares) addDeclared(declares, file, state, parameters, fields);
}

/** Where the text of an operation names a parameter; undefined when it does not, or not letter by letter. */
function parameterIn(name: string, file: string, value: Expression | undefined): Field['place'] {
  const text = literalText(value);
  const at = text?.search(new RegExp(`(?<![\\w:])[:{]${name}\\b`)) ?? -1;
  if (value === undefined || at < 0 || value.end - value.start !== (text?.length ?? 0) + 2) return undefined;
  const start = value.start + 1 + at + 1;
  return { file, range: { start, end: start + name.length } };
}

/** Parameters and the type that a named operation declares for what goes in. */
function addDeclared(
  operation: WrittenBody,
  file: string,
  state: ProjectState,
  parameters: ReadonlyMap<string, Parameter>,
  fields: Map<string, Field>,
): void {
  for (const item of operation.body.items) {
    const word = item.kind === 'attribute' ? item.name.text : item.type.text;
    if (item.kind === 'attribute' && operation.spec?.attributes[word]?.tells === 'input') {
      const { refersTo = '' } = operation.spec.attributes[word];
      for (const [field, known] of shapeOfBlock(refersTo, nameIn(item.value, refersTo) ?? '', state)?.fields ?? [])
        fields.set(field, known);
    }
    const label = item.kind === 'block' && operation.spec?.blocks[word]?.label ? item.labels[0] : undefined;
    if (label !== undefined) {
      const { text, start, end, quoted } = label;
      const range = quoted ? { start: start + 1, end: end - 1 } : { start, end };
      fields.set(text, {
        detail: parameters.get(text)?.detail ?? 'parameter of the operation',
        doc: parameters.get(text)?.doc,
        shape: undefined,
        place: { file, range },
      });
    }
  }
}
