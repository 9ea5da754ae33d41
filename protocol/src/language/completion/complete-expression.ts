import { type Expression, type FunctionDocumentation, type Local, placeAt } from '../../cel/index.ts';
import type { Range } from '../../text/index.ts';
import { type Embedded, fileRange, sourceOffset } from '../expressions/embedded.ts';
import { describeFunction, methods, plainFunctions } from '../expressions/functions.ts';
import type { Variable } from '../expressions/scope.ts';
import type { Field, Shape } from '../expressions/shape.ts';
import type { CompletionItem } from './completion.ts';

/**
 * What may be written at a place of an expression: variables and functions, those included that the files add, or the
 * members of what precedes a dot.
 */
export function completeExpression(
  embedded: Embedded,
  offset: number,
  variables: readonly Variable[],
  added: readonly FunctionDocumentation[] = [],
): readonly CompletionItem[] {
  const at = sourceOffset(embedded, offset);
  const root = [embedded.expression, ...embedded.rest].findLast((one) => one.start <= at) ?? embedded.expression;
  const { nodes, locals } = placeAt(root, at);
  const select = nodes.findLast((node) => node.kind === 'select' && at >= node.fieldRange.start && at <= node.end);
  if (select?.kind === 'select') return memberItems(embedded, select.operand, select.fieldRange, variables, locals);
  const called = nodes.findLast(
    (node) => node.kind === 'call' && at >= node.nameRange.start && at <= node.nameRange.end,
  );
  if (called?.kind === 'call' && called.target)
    return memberItems(embedded, called.target, called.nameRange, variables, locals);
  if (nodes.at(-1)?.kind === 'literal' && /["']/.test(embedded.source.charAt((nodes.at(-1) as Expression).start)))
    return [];
  const word = /\w*$/.exec(embedded.source.slice(0, at))?.[0].length ?? 0;
  const rest = /^\w*/.exec(embedded.source.slice(at))?.[0].length ?? 0;
  return nameItems(fileRange(embedded, { start: at - word, end: at + rest }), variables, locals, added);
}

function nameItems(
  range: Range,
  variables: readonly Variable[],
  locals: readonly Local[],
  added: readonly FunctionDocumentation[],
): CompletionItem[] {
  return [
    ...locals.map(({ name }) => plain(name, 'variable', 'element', undefined, range, 0)),
    ...variables.map(({ name, detail, doc }) => plain(name, 'variable', detail, doc, range, 1)),
    ...plainFunctions(added).map(({ documentation, signatures }) => ({
      ...plain(
        documentation.name,
        'function',
        signatures[0]?.label ?? '',
        describeFunction(documentation, signatures),
        range,
        2,
      ),
      snippet: `${documentation.name}($0)`,
    })),
  ];
}

function memberItems(
  embedded: Embedded,
  operand: Expression,
  word: Range,
  variables: readonly Variable[],
  locals: readonly Local[],
): readonly CompletionItem[] {
  const range = fileRange(embedded, word);
  const namespace = operand.kind === 'identifier' ? namespaceItems(operand.name, range) : [];
  if (namespace.length > 0 && !variables.some(({ name }) => name === (operand as { name: string }).name))
    return namespace;
  const shape = shapeOf(operand, variables, locals);
  const fields = [...(shape?.fields ?? [])].map(([name, field]) => fieldItem(name, field, range));
  const isMap = shape !== undefined || isVariable(operand, variables, locals);
  const fitting = methods().filter(
    ({ signatures }) =>
      !isMap || signatures.some(({ receiver }) => receiver?.kind === 'map' || receiver?.kind === 'parameter'),
  );
  return [
    ...fields,
    ...fitting.map(({ documentation, signatures }) => ({
      ...plain(
        documentation.name,
        'method',
        signatures[0]?.label ?? '',
        describeFunction(documentation, signatures),
        range,
        1,
      ),
      snippet: `${documentation.name}($0)`,
    })),
  ];
}

function fieldItem(name: string, { detail, doc }: Field, range: Range): CompletionItem {
  return plain(name, 'field', detail, doc, range, 0);
}

function namespaceItems(namespace: string, range: Range): readonly CompletionItem[] {
  const prefix = `${namespace}.`;
  return plainFunctions()
    .filter(({ documentation }) => documentation.name.startsWith(prefix))
    .map(({ documentation, signatures }) => {
      const name = documentation.name.slice(prefix.length);
      const doc = describeFunction(documentation, signatures);
      return { ...plain(name, 'function', signatures[0]?.label ?? '', doc, range, 0), snippet: `${name}($0)` };
    });
}

/** What is known of the fields of a path that starts at a variable. */
export function shapeOf(node: Expression, variables: readonly Variable[], locals: readonly Local[]): Shape | undefined {
  return fieldAt(node, variables, locals)?.shape;
}

/** Methods of lists that give some of the same elements. */
const keeping: ReadonlySet<string> = new Set(['filter', 'sortBy']);

/** What is known of the variable, field or element that a path leads to. */
export function fieldAt(node: Expression, variables: readonly Variable[], locals: readonly Local[]): Field | undefined {
  switch (node.kind) {
    case 'identifier': {
      const declared = locals.findLastIndex(({ name }) => name === node.name);
      if (declared < 0) return variables.find(({ name }) => name === node.name);
      const denotes = locals[declared]?.denotes;
      const of = denotes && fieldAt(denotes.of, variables, locals.slice(0, declared));
      return denotes?.kind === 'element' ? of?.element : of;
    }
    case 'select':
      return shapeOf(node.operand, variables, locals)?.fields.get(node.field);
    case 'index': {
      const { operand, index } = node;
      const key = index.kind === 'literal' ? index.value : undefined;
      if (typeof key === 'string') return shapeOf(operand, variables, locals)?.fields.get(key);
      return fieldAt(operand, variables, locals)?.element;
    }
    case 'call':
      return node.target && keeping.has(node.name) ? fieldAt(node.target, variables, locals) : undefined;
    default:
      return undefined;
  }
}

function isVariable(node: Expression, variables: readonly Variable[], locals: readonly Local[]): boolean {
  return (
    node.kind === 'identifier' &&
    !locals.some(({ name }) => name === node.name) &&
    variables.some(({ name, detail }) => name === node.name && detail !== 'dyn')
  );
}

function plain(
  label: string,
  kind: CompletionItem['kind'],
  detail: string,
  doc: string | undefined,
  range: Range,
  rank: number,
): CompletionItem {
  return { label, kind, detail, doc, edit: { range, text: label }, snippet: undefined, rank };
}
