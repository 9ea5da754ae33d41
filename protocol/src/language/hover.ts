import { type FunctionDocumentation, placeAt } from '../cel/index.ts';
import { configurationFunctions } from '../model/index.ts';
import { describeAttribute } from '../schema/index.ts';
import { childrenOf, type Expression } from '../syntax/index.ts';
import { type Range, touches } from '../text/index.ts';
import { fieldAt } from './completion/complete-expression.ts';
import { type Embedded, fileRange, sourceOffset } from './expressions/embedded.ts';
import { describeFunction, signaturesOf } from './expressions/functions.ts';
import { type Variable, variablesAt } from './expressions/scope.ts';
import { nameAt, namesOf, placesOf } from './name-lookup.ts';
import { placeIn } from './place.ts';
import type { FileState, ProjectState } from './states.ts';
import type { LanguageSupport } from './support.ts';

/** What people read about the thing under the pointer. */
export interface Hover {
  /** Markdown. */
  readonly text: string;
  readonly range: Range;
}

/** Explains what is at an offset: a block, an attribute, a name, a variable, a function. */
export function hover(
  file: FileState,
  offset: number,
  state: ProjectState,
  support: LanguageSupport,
): Hover | undefined {
  const place = placeIn(file, offset);
  if (place.kind === 'block') {
    const { block, spec, connector } = place.body;
    if (block === undefined || spec === undefined) return undefined;
    const kind =
      connector && block.type.text === 'connector'
        ? ` (${[connector.type, connector.driver].filter(Boolean).join(' ')})`
        : '';
    return { text: `**${block.type.text}**${kind}: ${spec.doc}`, range: plain(block.type) };
  }
  if (place.kind === 'name') {
    const { name, spec, isField, body } = place.value;
    if (spec === undefined) {
      const inner = body.spec?.blocks[name.text];
      return inner && { text: `**${name.text}**: ${inner.doc}`, range: plain(name) };
    }
    const text = isField ? `**${name.text}**: ${spec.doc}` : describeAttribute(name.text, spec).replace(/^- /, '');
    return { text, range: plain(name) };
  }
  if (place.kind === 'expression') {
    const variables = variablesAt(place.value, place.embedded.spec, file, state, support);
    return hoverExpression(place.embedded, offset, variables, support.functions?.(state.project));
  }
  const name = nameAt(file, offset);
  if (name) return hoverName(name, state);
  return place.kind === 'value' ? hoverFunction(place.value.value, offset) : undefined;
}

function hoverName(name: NonNullable<ReturnType<typeof nameAt>>, state: ProjectState): Hover | undefined {
  const declared = placesOf(state, name).find(({ declares }) => declares !== undefined);
  if (declared?.declares === undefined) return undefined;
  const { spec, connector, block } = declared.declares;
  const kind = connector ? ` (${[connector.type, connector.driver].filter(Boolean).join(' ')})` : '';
  const count = namesOf(name.kind, state, name.owner).filter((one) => one.name === name.name).length;
  const twice = count > 1 ? `\n\nDeclared ${count} times.` : '';
  return {
    text: `**${block?.type.text} "${name.name}"**${kind} in ${declared.file}\n\n${spec?.doc ?? ''}${twice}`,
    range: name.range,
  };
}

function hoverExpression(
  embedded: Embedded,
  offset: number,
  variables: readonly Variable[],
  added?: readonly FunctionDocumentation[],
): Hover | undefined {
  const at = sourceOffset(embedded, offset);
  const root = [embedded.expression, ...embedded.rest].findLast((one) => one.start <= at) ?? embedded.expression;
  const { nodes, locals } = placeAt(root, at);
  for (const node of nodes.toReversed()) {
    if (node.kind === 'call' && touches(node.nameRange, at)) {
      const namespace = node.target?.kind === 'identifier' ? `${node.target.name}.${node.name}` : undefined;
      const named = namespace === undefined ? [] : signaturesOf(namespace, false);
      const [form] = named.length > 0 ? named : signaturesOf(node.name, node.target !== undefined, added);
      const range = fileRange(embedded, node.nameRange);
      return form && { text: describeFunction(form.documentation, form.signatures), range };
    }
    const named = node.kind === 'select' ? node.fieldRange : node.kind === 'identifier' ? node : undefined;
    if (named === undefined || !touches(named, at)) continue;
    const field = fieldAt(node, variables, locals);
    const word = embedded.source.slice(named.start, named.end);
    if (field === undefined) return undefined;
    const doc = field.doc === undefined ? '' : `\n\n${field.doc}`;
    return { text: `**${word}**: \`${field.detail}\`${doc}`, range: fileRange(embedded, named) };
  }
  return undefined;
}

function hoverFunction(value: Expression | undefined, offset: number): Hover | undefined {
  const calls: Expression[] = value ? [value] : [];
  for (let node = calls.pop(); node !== undefined; node = calls.pop()) {
    if (node.kind === 'call' && touches(node.name, offset)) {
      const { text } = node.name;
      const found = configurationFunctions.find(({ name }) => name === text);
      return found && { text: `\`${found.signature}\`\n\n${found.doc}`, range: plain(node.name) };
    }
    calls.push(...childrenOf(node).filter((child) => touches(child, offset)));
  }
  return undefined;
}

function plain({ start, end }: Range): Range {
  return { start, end };
}
