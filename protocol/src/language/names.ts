import { type Expression as CelExpression, partsOf } from '../cel/index.ts';
import type { AttributeSpec } from '../schema/index.ts';
import { type Block, childrenOf, type Expression, type Label, literalText, type SyntaxTree } from '../syntax/index.ts';
import type { Range } from '../text/index.ts';
import { type Embedded, embeddedIn, fileRange } from './expressions/embedded.ts';
import { nameIn, rootOf, type Written, type WrittenBody, type WrittenValue } from './written.ts';

/**
 * What a name names: a root block of a kind, an operation that a connector declares, or a field that a block adds to a
 * variable inside its root block.
 */
export interface NameKey {
  /** `connector`, `type` … or the variable: `step`. */
  readonly kind: string;
  readonly name: string;
  /** The connector that declares an operation; undefined for everything else. */
  readonly owner: string | undefined;
  /** The root block in which the field can be read; undefined for names of the whole project. */
  readonly within: Block | undefined;
}

/** One place where a name is written. */
export interface NamePlace extends NameKey {
  readonly file: string;
  /** The name alone, without quotes and without a kind in front of it. */
  readonly range: Range;
  /** The block that is declared here; undefined where the name is used. */
  readonly declares: WrittenBody | undefined;
}

/** Every place of a file where something is declared or named, in no particular order. */
export function namesIn(tree: SyntaxTree, written: Written): readonly NamePlace[] {
  const names: NamePlace[] = [];
  const path = tree.file;
  const declare = (kind: string, declares: WrittenBody, within?: Block, owner?: string) => {
    const label = declares.block?.labels[0];
    if (label) names.push({ kind, name: label.text, owner, within, file: path, range: insideQuotes(label), declares });
  };
  for (const body of written.bodies) {
    const { block, spec } = body;
    if (block === undefined) continue;
    const root = rootOf(body)?.block;
    const named = spec?.label?.refersTo;
    const [label] = block.labels;
    if (named !== undefined) {
      if (label) names.push({ ...nowhere, kind: named, name: label.text, file: path, range: insideQuotes(label) });
    } else if (body.outer?.block === undefined) {
      if (spec?.label) declare(block.type.text, body);
      if (block.type.text === constants) declareConstants(body, path, names);
    } else if (spec?.result !== undefined) declare(spec.result, body, root);
    else if (isOperation(body)) declare('operation', body, undefined, root?.labels[0]?.text ?? '');
  }
  const asked = connectorsAsked(written.values);
  for (const value of written.values) {
    if (value.value === undefined || value.spec === undefined) continue;
    const inside = embeddedIn(value, tree.text);
    if (value.spec.refersTo !== 'operation') addReferences(value.value, value.spec, path, names);
    else if (inside.length === 0) addOperation(value.value, asked.get(value.body), path, names);
    for (const embedded of inside) addFields(embedded, value, path, names);
    addConstants(value.value, path, names);
  }
  return withoutRepeats(names);
}

/** The block whose attributes are constants, and the variable by which they are read. */
const constants = 'constants';

function declareConstants(body: WrittenBody, file: string, names: NamePlace[]): void {
  for (const item of body.body.items)
    if (item.kind === 'attribute') {
      const { text: name, start, end } = item.name;
      names.push({ ...nowhere, kind: constants, name, file, range: { start, end }, declares: body });
    }
}

/** Constants that the configuration itself reads, outside of expressions. */
function addConstants(expression: Expression, file: string, names: NamePlace[]): void {
  if (expression.kind === 'attribute-access') {
    const { target, name } = expression;
    if (target.kind === 'variable' && target.name === constants && name.text !== '')
      names.push({ ...nowhere, kind: constants, name: name.text, file, range: { start: name.start, end: name.end } });
  }
  for (const child of childrenOf(expression)) addConstants(child, file, names);
}

/** A path without quotes is a value of the configuration and an expression at once. */
function withoutRepeats(names: readonly NamePlace[]): readonly NamePlace[] {
  const seen = new Set<number>();
  return names.filter(({ kind, range }) => {
    if (kind !== constants || !seen.has(range.start)) {
      if (kind === constants) seen.add(range.start);
      return true;
    }
    return false;
  });
}

/** What a place has where a name of the whole project is used. */
const nowhere = { owner: undefined, within: undefined, declares: undefined } as const;

function insideQuotes({ quoted, start, end }: Label): Range {
  return quoted ? { start: start + 1, end: end - 1 } : { start, end };
}

/** Whether a body is an operation that a connector declares. */
function isOperation({ block, spec, outer }: WrittenBody): boolean {
  return block?.type.text === 'operation' && spec?.label !== undefined && outer?.connector?.operation !== undefined;
}

/** The connector that each body names, for the operations written beside it. */
export function connectorsAsked(values: readonly WrittenValue[]): ReadonlyMap<WrittenBody, string> {
  const found = new Map<WrittenBody, string>();
  for (const { body, spec, value } of values) {
    const name = spec?.kind === 'reference' && spec.refersTo === 'connector' ? nameIn(value, 'connector') : undefined;
    if (name !== undefined && !found.has(body)) found.set(body, name);
  }
  return found;
}

/** The operation of a connector, or what the connector understands by itself, which is declared nowhere. */
function addOperation(value: Expression, owner: string | undefined, file: string, names: NamePlace[]): void {
  const name = literalText(value);
  // Only a text that is written there letter by letter can be pointed into.
  if (owner === undefined || name === undefined || value.end - value.start !== name.length + 2) return;
  const range = { start: value.start + 1, end: value.end - 1 };
  names.push({ kind: 'operation', name, owner, within: undefined, file, range, declares: undefined });
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
    names.push({ kind, name, owner: undefined, within: undefined, file, range, declares: undefined });
  const text = literalText(expression);
  if (text !== undefined) {
    const skipped = text.startsWith(`${kind}.`) ? kind.length + 1 : 0;
    // Only a text that is written there letter by letter can be pointed into.
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
  const root = rootOf(value.body)?.block;
  for (const each of [embedded.expression, ...embedded.rest])
    for (const { variable, field, range } of fieldsRead(each))
      names.push({
        kind: variable,
        name: field,
        owner: undefined,
        within: variable === constants ? undefined : root,
        file,
        range: fileRange(embedded, range),
        declares: undefined,
      });
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
    found.push(
      ...fieldsRead(node, declares.length > 0 ? new Set([...locals, ...declares.map(({ name }) => name)]) : locals),
    );
  return found;
}
