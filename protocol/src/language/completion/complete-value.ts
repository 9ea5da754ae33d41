import { configurationFunctions, expressionMark } from '../../model/index.ts';
import type { AttributeSpec, BlockSpec, FieldGrammar } from '../../schema/index.ts';
import type { Expression } from '../../syntax/index.ts';
import { type Range, touches } from '../../text/index.ts';
import { connectorAt, namesKnown } from '../known-targets.ts';
import { namesOf } from '../name-lookup.ts';
import { connectorsAsked, type NamePlace } from '../names.ts';
import type { FileState, ProjectState } from '../states.ts';
import type { KnownTarget } from '../support.ts';
import type { WrittenBody, WrittenValue } from '../written.ts';
import type { CompletionItem, CompletionKind } from './completion.ts';

/** Constants that may be used where a value is written: choices, names of blocks, functions of the configuration. */
export function completeValue(
  { value, spec, body }: WrittenValue,
  offset: number,
  file: FileState,
  state: ProjectState,
): readonly CompletionItem[] {
  if (spec === undefined) return [];
  const owner = spec.refersTo === 'operation' ? connectorsAsked(file.written.values).get(body) : undefined;
  const isFitting = fitting(spec, body.spec, state);
  const offered = owner === undefined ? [] : operationsOf(owner, value, body, offset, file, state);
  const items = itemsOf(value, spec, offset, file.tree.text, (kind) =>
    namesOf(kind, state, owner).filter((place) => place.kind !== 'connector' || isFitting(place.name)),
  );
  return [...items, ...completeKnown({ value, spec, body }, offset, file, state), ...offered];
}

/** What the server of the connector has that the block asks, as a running service said, where a name of it is written. */
export function completeKnown(
  { value, spec, body }: Pick<WrittenValue, 'value' | 'spec' | 'body'>,
  offset: number,
  file: FileState,
  { known, project }: ProjectState,
): readonly CompletionItem[] {
  const owner = known.size > 0 ? connectorAt(body, file) : undefined;
  if (owner === undefined || !namesKnown(spec?.element ?? spec, project.connectors.get(owner))) return [];
  const own = value?.kind === 'list' ? value.items.find((item) => touches(item, offset)) : value;
  const range = rangeOf(own, offset, file.tree.text);
  // What a connector is asked for does not trigger a flow, unless it is an operation that does.
  const connector = triggersFlow(body, file) ? project.connectors.get(owner) : undefined;
  const { begins, checkOperation } = connector?.spec?.source ?? {};
  const fits = ({ name, kind }: KnownTarget) =>
    begins?.includes(kind) !== false && checkOperation?.(name, connector?.values ?? {}) === undefined;
  return (known.get(owner) ?? []).filter(fits).map(({ name, kind }) => ({
    label: name,
    kind: 'name',
    detail: kind,
    doc: undefined,
    edit: { range, text: JSON.stringify(name) },
    snippet: undefined,
    rank: 0,
  }));
}

/** What the connector understands by itself, behind the operations that it declares. */
function operationsOf(
  owner: string,
  value: Expression | undefined,
  body: WrittenBody,
  offset: number,
  { tree, written }: FileState,
  { project }: ProjectState,
): readonly CompletionItem[] {
  const spec = project.connectors.get(owner)?.spec;
  const range = rangeOf(value, offset, tree.text);
  return ((triggersFlow(body, { written }) ? spec?.source : spec?.target)?.offers ?? []).map((label) => ({
    label,
    kind: 'value',
    detail: 'operation',
    doc: undefined,
    edit: { range, text: JSON.stringify(label) },
    snippet: label.endsWith('/') ? `"${label}$0"` : undefined,
    rank: 1,
  }));
}

/** Whether the connector that a block names is what triggers its flow. */
function triggersFlow(body: WrittenBody, { written }: Pick<FileState, 'written'>): boolean {
  return written.values.some((one) => one.body === body && one.spec?.tells === 'input');
}

/** Which connectors can be what a reference asks for: what triggers a flow, or what takes an operation. */
function fitting(spec: AttributeSpec, body: BlockSpec | undefined, { project }: ProjectState) {
  const asks = Object.values(body?.attributes ?? {}).some(({ refersTo }) => refersTo === 'operation');
  return (name: string): boolean => {
    const connector = project.connectors.get(name)?.spec;
    if (connector === undefined || spec.refersTo !== 'connector') return true;
    if (spec.tells === 'input') return connector.source !== undefined;
    return !asks || connector.target !== undefined;
  };
}

function itemsOf(
  expression: Expression | undefined,
  spec: AttributeSpec,
  offset: number,
  text: string,
  namesOfKind: (kind: string) => readonly NamePlace[],
): readonly CompletionItem[] {
  if (spec.element !== undefined) {
    const items = expression?.kind === 'list' ? expression.items : expression ? [expression] : [];
    const own = items.find((item) => touches(item, offset));
    return expression?.kind === 'object' ? [] : itemsOf(own, spec.element, offset, text, namesOfKind);
  }
  const range = rangeOf(expression, offset, text);
  const inQuotes = expression?.kind === 'template';
  const item = (label: string, kind: CompletionKind, detail: string, doc: string | undefined, written: string) => ({
    label,
    kind,
    detail,
    doc,
    edit: { range, text: written },
    snippet: undefined,
    rank: 0,
  });
  const names = (kind: string) =>
    [...new Set(namesOfKind(kind).map(({ name }) => name))].map((name) =>
      item(name, 'name', kind, undefined, JSON.stringify(name)),
    );
  const functions = inQuotes
    ? []
    : configurationFunctions.map(({ name, signature, doc }) => ({
        ...item(name, 'function', signature, doc, `${name}()`),
        snippet: `${name}($0)`,
        rank: 2,
      }));
  const mark = {
    ...item(expressionMark, 'function', 'cel("…")', 'An expression instead of a constant.', `${expressionMark}("")`),
    snippet: `${expressionMark}("$0")`,
    rank: 1,
  };
  switch (spec.kind) {
    case 'oneOf':
      return (spec.choices ?? []).map((choice) => item(String(choice), 'value', '', undefined, JSON.stringify(choice)));
    case 'flag':
      return ['true', 'false'].map((word) => item(word, 'value', '', undefined, word));
    case 'reference':
      return names(spec.refersTo as string);
    case 'expression': {
      const constraints = expression && spec.grammar ? constraintsAt(expression, spec.grammar, offset) : undefined;
      if (constraints !== undefined)
        return constraints.value
          ? itemsOf(constraints.value.expression, constraints.value.spec, offset, text, namesOfKind)
          : constraints.missing.map(([name, { doc }]) => ({
              ...item(name, 'attribute', '', doc, name),
              edit: { range: rangeOf(undefined, offset, text), text: `${name} = ` },
            }));
      const words = inQuotes ? [] : (spec.grammar?.words ?? []);
      return [
        ...words.map((word) => item(word, 'value', '', undefined, word)),
        ...(spec.grammar ? names(spec.grammar.refersTo) : []),
      ];
    }
    case 'text':
      return [...(spec.refersTo === undefined ? [] : names(spec.refersTo)), ...functions];
    default:
      return spec.marked && !inQuotes ? [mark, ...functions] : functions;
  }
}

/**
 * What may be written in the brackets of a field: the value of a constraint, or constraints that are not written yet.
 */
function constraintsAt(expression: Expression, { constraints }: FieldGrammar, offset: number) {
  if (expression.kind !== 'call') return undefined;
  const argument = expression.arguments.find((each) => touches(each, offset));
  if (argument?.kind !== 'object' || offset === argument.start || offset === argument.end) return undefined;
  const written = argument.entries.map(({ key, value }) => ({ name: wordIn(key), key, value }));
  const within = written.find(({ key, value }) => offset > key.end && offset <= value.end);
  const spec = within?.name === undefined ? undefined : constraints[within.name];
  const missing = Object.entries(constraints).filter(([name]) => !written.some((each) => each.name === name));
  return { value: within && spec && { expression: within.value, spec }, missing: within ? [] : missing };
}

function wordIn(key: Expression): string | undefined {
  return key.kind === 'variable' ? key.name : undefined;
}

/** Names of the blocks that the label of a block may name. */
export function completeLabel(
  { block, spec }: WrittenBody,
  offset: number,
  state: ProjectState,
): readonly CompletionItem[] {
  const kind = spec?.label?.refersTo;
  if (kind === undefined) return [];
  const label = block?.labels.find((one) => touches(one, offset));
  const range = label ? { start: label.start, end: label.end } : { start: offset, end: offset };
  return [...new Set(namesOf(kind, state).map(({ name }) => name))].map((name) => ({
    label: name,
    kind: 'name',
    detail: kind,
    doc: undefined,
    edit: { range, text: JSON.stringify(name) },
    snippet: undefined,
    rank: 0,
  }));
}

/** What choosing replaces: the whole value that is begun, or the word in front of the cursor. */
function rangeOf(expression: Expression | undefined, offset: number, text: string): Range {
  if (expression && ['template', 'variable', 'attribute-access', 'boolean', 'number'].includes(expression.kind))
    return { start: expression.start, end: Math.max(expression.end, offset) };
  const word = /[\w-]*$/.exec(text.slice(Math.max(0, offset - 100), offset))?.[0].length ?? 0;
  return { start: offset - word, end: offset };
}
