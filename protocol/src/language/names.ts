import { type Expression as CelExpression, partsOf } from '../cel/index.ts';
import type { Project } from '../model/index.ts';
import type { AttributeSpec } from '../schema/index.ts';
import { type Block, type Expression, type Label, literalText } from '../syntax/index.ts';
import type { Range } from '../text/index.ts';
import { type Embedded, embeddedIn, fileRange } from './embedded.ts';
import type { FileState, ProjectState } from './states.ts';
import { rootOf, type WrittenBody, type WrittenValue } from './written.ts';

/** What a name names: a root block of a kind, or a field that a block adds to a variable inside its root block. */
export interface NameKey {
  /** `connector`, `type` … or the variable: `step`. */
  readonly kind: string;
  readonly name: string;
  /** The root block in which the field can be read; undefined for names of the whole project. */
  readonly within: Block | undefined;
}

/** One place where a name stands. */
export interface NamePlace extends NameKey {
  readonly file: string;
  /** The name alone, without quotes and without a kind in front of it. */
  readonly range: Range;
  /** The block that is declared here; undefined where the name is used. */
  readonly declares: WrittenBody | undefined;
}

/** The place at an offset; undefined when there is no name. */
export function nameAt(file: FileState, offset: number): NamePlace | undefined {
  return file.names.find(({ range }) => offset >= range.start && offset <= range.end);
}

/** Every place of the project with the same name. */
export function placesOf(state: ProjectState, { kind, name, within }: NameKey): readonly NamePlace[] {
  return [...state.files.values()]
    .sort((a, b) => (a.tree.file < b.tree.file ? -1 : 1))
    .flatMap((file) =>
      file.names
        .filter((place) => place.kind === kind && place.name === name && place.within === within)
        .sort((a, b) => a.range.start - b.range.start),
    );
}

/** Names of the whole project of one kind, in the order in which they are declared. `storage` is a kind of connector. */
export function namesOf(kind: string, state: ProjectState): readonly NamePlace[] {
  const { project } = state;
  const stores = (name: string) => (project as Project).connectors.get(name)?.spec?.storage === true;
  return [...state.files.values()].flatMap((file) =>
    file.names.filter(
      (place) =>
        place.declares !== undefined &&
        place.within === undefined &&
        (place.kind === kind || (kind === 'storage' && place.kind === 'connector' && stores(place.name))),
    ),
  );
}

/** Every place of a file where something is declared or named, in no particular order. */
export function namesIn(file: Pick<FileState, 'tree' | 'written'>): readonly NamePlace[] {
  const names: NamePlace[] = [];
  const path = file.tree.file;
  for (const body of file.written.bodies) {
    const { block, spec } = body;
    const [label] = block?.labels ?? [];
    if (block === undefined || label === undefined) continue;
    if (body.outer?.block === undefined) {
      if (spec?.label) names.push(placeOf(block.type.text, label, path, undefined, body));
    } else if (spec?.result !== undefined) names.push(placeOf(spec.result, label, path, rootOf(body)?.block, body));
  }
  for (const value of file.written.values) {
    if (value.value === undefined || value.spec === undefined) continue;
    addReferences(value.value, value.spec, path, names);
    for (const embedded of embeddedIn(value, file.tree.text)) addFields(embedded, value, path, names);
  }
  return names;
}

function placeOf(
  kind: string,
  label: Label,
  file: string,
  within: Block | undefined,
  declares: WrittenBody,
): NamePlace {
  const range = label.quoted ? { start: label.start + 1, end: label.end - 1 } : { start: label.start, end: label.end };
  return { kind, name: label.text, within, file, range, declares };
}

function addReferences(expression: Expression, spec: AttributeSpec, file: string, names: NamePlace[]): void {
  const refersTo = spec.kind === 'reference' || spec.kind === 'text' ? spec.refersTo : undefined;
  if (refersTo !== undefined) {
    const expressions = expression.kind === 'list' ? expression.items : [expression];
    for (const each of expressions) addReference(each, refersTo, file, names);
  }
  if (spec.kind === 'expression' && spec.grammar) addGrammar(expression, spec, file, names);
  if (spec.element === undefined) return;
  if (expression.kind === 'list') for (const item of expression.items) addReferences(item, spec.element, file, names);
  else if (expression.kind === 'object')
    for (const { value } of expression.entries) addReferences(value, spec.element, file, names);
  else addReferences(expression, spec.element, file, names);
}

/** Fields of a message: a text names a block, brackets hold constraints, an object holds fields. */
function addGrammar(expression: Expression, spec: AttributeSpec, file: string, names: NamePlace[]): void {
  const grammar = spec.grammar as NonNullable<AttributeSpec['grammar']>;
  if (expression.kind === 'object') {
    for (const { value } of expression.entries) addGrammar(value, spec, file, names);
  } else if (expression.kind === 'call') {
    for (const argument of expression.arguments)
      if (argument.kind === 'object')
        for (const { key, value } of argument.entries) {
          const name = key.kind === 'variable' ? key.name : literalText(key);
          const own =
            name !== undefined && Object.hasOwn(grammar.constraints, name) ? grammar.constraints[name] : undefined;
          if (own) addReferences(value, own, file, names);
        }
  } else if (expression.kind === 'template' || expression.kind === 'attribute-access')
    addReference(expression, grammar.refersTo, file, names);
}

function addReference(expression: Expression, refersTo: string, file: string, names: NamePlace[]): void {
  const kind = refersTo === 'storage' ? 'connector' : refersTo;
  const add = (name: string, range: Range) =>
    names.push({ kind, name, within: undefined, file, range, declares: undefined });
  const text = literalText(expression);
  if (text !== undefined) {
    const skipped = text.startsWith(`${kind}.`) ? kind.length + 1 : 0;
    // Only a text that stands there letter by letter can be pointed into.
    if (expression.end - expression.start === text.length + 2)
      add(text.slice(skipped), { start: expression.start + 1 + skipped, end: expression.end - 1 });
  } else if (expression.kind === 'variable') add(expression.name, { start: expression.start, end: expression.end });
  else if (expression.kind === 'attribute-access' && expression.target.kind === 'variable') {
    const { target, name } = expression;
    if (target.name === kind) add(name.text, { start: name.start, end: name.end });
  }
}

/** Fields of variables that an expression reads: the `user` of `step.user.name`. */
function addFields(embedded: Embedded, value: WrittenValue, file: string, names: NamePlace[]): void {
  const within = rootOf(value.body)?.block;
  for (const root of [embedded.expression, ...embedded.rest])
    for (const { variable, field, range } of fieldsRead(root))
      names.push({ kind: variable, name: field, within, file, range: fileRange(embedded, range), declares: undefined });
}

interface FieldRead {
  readonly variable: string;
  readonly field: string;
  readonly range: Range;
}

/** The first field behind every variable, macros' own names left out. */
export function fieldsRead(root: CelExpression, locals: ReadonlySet<string> = new Set()): readonly FieldRead[] {
  const found: FieldRead[] = [];
  const operand = root.kind === 'select' || root.kind === 'index' ? root.operand : undefined;
  if (operand?.kind === 'identifier' && !locals.has(operand.name)) {
    if (root.kind === 'select' && root.field !== '')
      found.push({ variable: operand.name, field: root.field, range: root.fieldRange });
    if (root.kind === 'index' && root.index.kind === 'literal' && typeof root.index.value === 'string') {
      const { start, end } = root.index;
      if (end - start === root.index.value.length + 2)
        found.push({ variable: operand.name, field: root.index.value, range: { start: start + 1, end: end - 1 } });
    }
  }
  for (const { node, declares } of partsOf(root, 'product'))
    found.push(...fieldsRead(node, declares.length > 0 ? new Set([...locals, ...declares]) : locals));
  return found;
}
