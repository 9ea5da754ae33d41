import type { VariableDeclaration } from '../cel/index.ts';
import { typeName } from '../cel/index.ts';
import type { AttributeSpec } from '../schema/index.ts';
import { type Expression, literalText } from '../syntax/index.ts';
import { type Field, type Shape, shapeOfBlock, shapeOfConstant, shapeOfType } from './shape.ts';
import type { FileState, ProjectState } from './states.ts';
import type { LanguageSupport } from './support.ts';
import { rootOf, type WrittenBody, type WrittenValue } from './written.ts';

/** A name that an expression may use at its place, with what is known of its fields. */
export interface Variable {
  readonly name: string;
  readonly detail: string;
  readonly doc: string | undefined;
  readonly shape: Shape | undefined;
}

/** The variables of an expression: those its attribute reads, elements of the loops around it, those that exist everywhere. */
export function variablesAt(
  value: WrittenValue,
  spec: AttributeSpec,
  file: FileState,
  state: ProjectState,
  support: LanguageSupport,
): readonly Variable[] {
  const names = [...new Set([...(spec.reads ?? []), ...loopNames(value.body)])];
  return support.variables(names).map((declaration) => ({
    name: declaration.name,
    detail: typeName(declaration.type),
    doc: declaration.doc,
    shape: shapeOf(declaration, value, file, state),
  }));
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

function shapeOf(
  { name, type }: VariableDeclaration,
  value: WrittenValue,
  file: FileState,
  state: ProjectState,
): Shape | undefined {
  if (name === 'constants') return shapeOfConstant(state.project.constants);
  const fields = new Map<string, Field>(shapeOfType(type)?.fields);
  const root = rootOf(value.body)?.block;
  for (const body of file.written.bodies) addResult(name, body, root, value, fields);
  for (const told of file.written.values)
    if (told.spec?.tells === name && rootOf(told.body)?.block === root) addTold(told, file, state, fields);
  if (value.isField && value.body.spec?.builds === name)
    for (const other of file.written.values)
      if (other.body === value.body && other.isField && other.name.start < value.name.start)
        fields.set(other.name.text, { detail: 'built above', doc: undefined, shape: undefined });
  return fields.size === 0 ? undefined : { fields };
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
function addTold(told: WrittenValue, file: FileState, state: ProjectState, fields: Map<string, Field>): void {
  const { spec, value } = told;
  const text = textOf(value);
  if (spec === undefined || text === undefined) return;
  if (spec.kind !== 'reference') {
    fields.set(text, { detail: `${told.name.text} = "${text}"`, doc: undefined, shape: undefined });
    return;
  }
  const name = text.replace(new RegExp(`^${spec.refersTo}\\.`), '');
  if (spec.refersTo !== 'connector') {
    for (const [field, known] of shapeOfBlock(spec.refersTo as string, name, state)?.fields ?? [])
      fields.set(field, known);
    return;
  }
  const source = state.project.connectors.get(name)?.spec?.source;
  const beside = file.written.values.find((other) => other.body === told.body && other.name.text === 'operation');
  for (const field of source?.parameters?.(textOf(beside?.value) ?? '') ?? [])
    fields.set(field, { detail: 'parameter of the operation', doc: undefined, shape: undefined });
  for (const [field, doc] of Object.entries(source?.input ?? {}))
    fields.set(field, { detail: `of every message of ${name}`, doc, shape: undefined });
}

function textOf(expression: Expression | undefined): string | undefined {
  if (expression?.kind === 'attribute-access') return expression.name.text;
  return expression?.kind === 'variable' ? expression.name : literalText(expression);
}
