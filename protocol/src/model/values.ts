import type { ArgumentSource, AttributeSpec, CelSource, Origin, TemplateSource } from '../schema/index.ts';
import { type Expression, literalText, type TemplateExpression } from '../syntax/index.ts';
import { coerce } from './coerce.ts';
import { evaluate, isReadable, keyText } from './evaluation/evaluate.ts';
import { EvaluationError, type EvaluationScope } from './evaluation/scope.ts';
import type { Report } from './report.ts';

/** What reading one attribute's value needs. */
export interface ValueContext {
  /** What messages call the attribute: `port of connector "api"`. */
  readonly subject: string;
  readonly file: string;
  readonly text: string;
  readonly scope: EvaluationScope;
  readonly report: Report;
  /** Names that make a plain text of an argument an expression when it is a call of one of them. */
  readonly expressionFunctions: ReadonlySet<string>;
}

/** Reads a written value as `spec` says. Undefined when it was refused (and reported) or counts as not written. */
export function decodeValue(expression: Expression, spec: AttributeSpec, context: ValueContext): unknown {
  const origin: Origin = { file: context.file, range: expression };
  try {
    switch (spec.kind) {
      case 'cel':
        return decodeCel(expression, spec, context);
      case 'template':
        return decodeTemplate(expression, spec, context);
      case 'argument':
        return decodeArgument(expression, spec, context);
      case 'expression':
        return { kind: 'expression', expression, origin };
      case 'reference':
        return decodeReference(expression, spec, context);
      case 'map':
      case 'list':
        if (spec.element && (isSourceKind(spec.element) || spec.element.kind === 'reference'))
          return decodeSources(expression, spec, context);
    }
    const evaluated = evaluate(expression, context.scope);
    if (isAbsent(evaluated, spec)) return undefined;
    const coerced = coerce(evaluated, spec);
    if ('value' in coerced) {
      if (spec.namesFile) checkFile(String(coerced.value), spec.namesFile, origin, context);
      return coerced.value;
    }
    const { code, part, problem, help } = coerced;
    const message = `${part === '' ? '' : `${part} of `}${context.subject} ${problem}`;
    context.report(code, message, origin, { help });
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    context.report(error.code, error.message, { file: context.file, range: error.range }, { help: error.help });
  }
  return undefined;
}

function checkFile(
  path: string,
  kind: 'read' | 'kept',
  origin: Origin,
  { scope, report, subject }: ValueContext,
): void {
  if (path === '') return;
  const { host } = scope;
  if (kind === 'read') {
    const missing = host.missingFile?.(path);
    if (missing !== undefined)
      report('missing-file', `there is no file ${path}`, origin, {
        severity: 'warning',
        help: `It is looked for at ${missing}, and must be there when the service starts.`,
      });
    return;
  }
  const elsewhere = host.misplacedFile?.(path);
  if (elsewhere !== undefined)
    report('misplaced-file', `${subject} is at ${elsewhere}, and belongs at ${host.absolutePath(path)}`, origin, {
      help: 'Relative paths are taken from the configuration directory: move the file there, or write its absolute path.',
    });
}

/** Null is as good as not written; so is an empty text where it could only mean an unset variable. */
function isAbsent(value: unknown, spec: AttributeSpec): boolean {
  return value === null
    ? spec.kind !== 'value'
    : value === '' && !['text', 'value', 'flag', 'list'].includes(spec.kind);
}

function isSourceKind(spec: AttributeSpec): boolean {
  return spec.kind === 'cel' || spec.kind === 'template' || spec.kind === 'argument';
}

/** Lists and maps whose elements are expressions, or name other blocks. */
function decodeSources(expression: Expression, spec: AttributeSpec, context: ValueContext): unknown {
  const element = spec.element as AttributeSpec;
  if (spec.kind === 'map') {
    if (expression.kind !== 'object') throw wrongKind('an object is needed here', expression);
    const entries = Object.create(null) as Record<string, unknown>;
    for (const { key, value } of expression.entries) {
      const decoded = decodeValue(value, element, context);
      if (decoded !== undefined) entries[keyText(key, context.scope)] = decoded;
    }
    return entries;
  }
  const items = expression.kind === 'list' ? expression.items : [expression];
  return items.map((item) => decodeValue(item, element, context)).filter((item) => item !== undefined);
}

/** The names of blocks in a decoded attribute that refers to one or to several, and where each is written. */
export function referencesIn(value: unknown, spec: AttributeSpec, expression: Expression) {
  const reference = spec.kind === 'list' ? spec.element : spec;
  if (reference?.kind !== 'reference') return [];
  const refersTo = reference.refersTo as string;
  return (Array.isArray(value) ? value : [value]).flatMap((name, at) => {
    const written = expression.kind === 'list' ? (expression.items[at] ?? expression) : expression;
    return typeof name === 'string' ? [{ refersTo, name, at: written }] : [];
  });
}

function decodeReference(expression: Expression, spec: AttributeSpec, context: ValueContext): unknown {
  const written = traversal(expression);
  const text = written ?? evaluate(expression, context.scope);
  if (typeof text !== 'string') throw wrongKind(`the name of a ${spec.refersTo} is needed here`, expression);
  const prefix = `${spec.refersTo === 'storage' ? 'connector' : spec.refersTo}.`;
  const name = text.startsWith(prefix) ? text.slice(prefix.length) : text;
  return name === '' ? undefined : name;
}

/** `a.b` of a chain of plain names that is not a constant, else undefined. */
function traversal(expression: Expression): string | undefined {
  if (expression.kind === 'variable') return expression.name === 'constants' ? undefined : expression.name;
  if (expression.kind !== 'attribute-access') return undefined;
  const target = traversal(expression.target);
  return target === undefined ? undefined : `${target}.${expression.name.text}`;
}

function decodeCel(expression: Expression, spec: AttributeSpec, context: ValueContext): CelSource | undefined {
  const { reads = [], gives, decides, mustCompile, waits } = spec;
  const about = { reads, gives, decides, mustCompile, ...(waits && { waits }) };
  const origin: Origin = { file: context.file, range: expression };
  const bare = bareSource(expression, context);
  if (bare !== undefined) return { kind: 'cel', source: bare, origin, escaped: false, ...about };
  if (expression.kind === 'template') {
    const literal = literalText(expression);
    if (literal !== undefined) {
      const inner = exactRange(expression, literal, context.text);
      if (literal.trim() === '') return undefined;
      return {
        kind: 'cel',
        source: literal,
        origin: inner ? { file: context.file, range: inner } : origin,
        escaped: inner === undefined,
        ...about,
      };
    }
    const unreadable = expression.parts.find(
      (part) => part.kind === 'interpolation' && !isReadable(part.expression, context.scope),
    );
    if (unreadable)
      throw new EvaluationError(
        '${…} is filled while files are read, when there is no message yet',
        unreadable,
        'The whole text is an expression already: write the name without ${ and }.',
      );
  }
  if (expression.kind === 'list' || expression.kind === 'object')
    throw wrongKind(
      'an expression is needed here, not a list or an object',
      expression,
      `Put it in quotes: ${JSON.stringify(context.text.slice(expression.start, expression.end).replaceAll('"', "'").replaceAll(' = ', ': '))}.`,
    );
  const constant = evaluate(expression, context.scope);
  if (typeof constant === 'string')
    return constant.trim() === '' ? undefined : { kind: 'cel', source: constant, origin, escaped: true, ...about };
  if (typeof constant === 'object' && constant !== null)
    throw wrongKind('an expression is needed here, not a list or an object', expression);
  const value = constant as number | bigint | boolean | null;
  return {
    kind: 'cel',
    source: String(value),
    origin,
    escaped: true,
    constant: { value: typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value },
    ...about,
  };
}

function wrongKind(message: string, range: Expression, help?: string): EvaluationError {
  return new EvaluationError(message, range, help, 'wrong-kind');
}

/**
 * An unquoted expression over the message (`input.id`) is taken as it is written
 * (docs/specification/language.md#expressions-in-attributes).
 */
function bareSource(expression: Expression, context: ValueContext): string | undefined {
  if (['template', 'list', 'object', 'number', 'boolean', 'null', 'invalid'].includes(expression.kind))
    return undefined;
  return isReadable(expression, context.scope) ? undefined : context.text.slice(expression.start, expression.end);
}

/** The range of the text inside the quotes when it is written there letter by letter. */
function exactRange(template: TemplateExpression, literal: string, text: string) {
  const [only] = template.parts;
  if (template.parts.length !== 1 || only === undefined) return undefined;
  return text.slice(only.start, only.end) === literal ? { start: only.start, end: only.end } : undefined;
}

function decodeTemplate(
  expression: Expression,
  spec: AttributeSpec,
  context: ValueContext,
): TemplateSource | undefined {
  const origin: Origin = { file: context.file, range: expression };
  if (spec.orExpression && !hasHoles(expression)) {
    const source = decodeCel(expression, spec, context);
    return source && { kind: 'template', parts: [source], origin };
  }
  if (expression.kind !== 'template') {
    const value = evaluate(expression, context.scope);
    if (value === null || value === '') return undefined;
    if (typeof value === 'object') throw wrongKind('a text is needed here', expression);
    return { kind: 'template', parts: [String(value)], origin };
  }
  const parts: (string | CelSource)[] = [];
  const append = (text: string) => {
    const last = parts.length - 1;
    if (typeof parts[last] === 'string') parts[last] += text;
    else if (text !== '') parts.push(text);
  };
  for (const part of expression.parts) {
    if (part.kind === 'text') append(part.value);
    else if (part.kind !== 'interpolation')
      throw new EvaluationError('%{…} cannot be used in a text that is filled per message', part);
    else if (isReadable(part.expression, context.scope)) append(String(evaluate(part.expression, context.scope)));
    else {
      const { start, end } = part.expression;
      const source = context.text.slice(start, end);
      const hole: Origin = { file: context.file, range: { start, end } };
      parts.push({ kind: 'cel', source, origin: hole, escaped: false, reads: spec.reads ?? [] });
    }
  }
  return parts.length === 0 ? undefined : { kind: 'template', parts, origin };
}

/** Whether a text has `${…}` parts. */
export function hasHoles(expression: Expression): boolean {
  return expression.kind === 'template' && expression.parts.some(({ kind }) => kind !== 'text');
}

const readsMessage =
  /(^|[^\w.'"])((input|step|auth|constants|enriched|output|captured|ctx)\s*(\.|\[)|lock\s*\.\s*token\b)/;
const readsError = /(^|[^\w.'"])error\s*(\.|\[)/;
const computedKey = /[+(]|^\s*(['"]).*\1\s*$/s;
const wholeCall = /^\s*([A-Za-z_]\w*)\s*\(.*\)\s*$/s;

function decodeArgument(expression: Expression, spec: AttributeSpec, context: ValueContext): ArgumentSource {
  const origin: Origin = { file: context.file, range: expression };
  if (spec.form === 'key') return decodeKey(expression, spec, context);
  if (expression.kind === 'list')
    return { kind: 'list', items: expression.items.map((item) => decodeArgument(item, spec, context)), origin };
  if (expression.kind === 'object')
    return {
      kind: 'map',
      entries: expression.entries.map(
        ({ key, value }) => [keyText(key, context.scope), decodeArgument(value, spec, context)] as const,
      ),
      origin,
    };
  if (spec.marked) return decodeMarked(expression, spec, context);
  const literal = expression.kind === 'template' ? literalText(expression) : undefined;
  const isExpression =
    bareSource(expression, context) !== undefined ||
    (literal !== undefined && isExpressionText(literal, spec, context.expressionFunctions));
  if (isExpression) {
    const source = decodeCel(expression, spec, context);
    if (source) return source;
  }
  return { kind: 'constant', value: evaluate(expression, context.scope), origin };
}

/** The function that marks an expression among constants. */
export const expressionMark = 'cel';

/** What `cel("…")` marks, when the expression is such a call. */
export function markedExpression(expression: Expression): Expression | undefined {
  return expression.kind === 'call' && expression.name.text === expressionMark ? expression.arguments[0] : undefined;
}

function decodeMarked(expression: Expression, spec: AttributeSpec, context: ValueContext): ArgumentSource {
  const source = markedExpression(expression);
  const decoded = source && decodeCel(source, spec, context);
  if (decoded) return decoded;
  const help = 'An expression is written cel("…").';
  if (expression.kind === 'call' && expression.name.text === expressionMark)
    throw wrongKind('cel needs an expression in quotes', expression, help);
  if (bareSource(expression, context) !== undefined)
    throw wrongKind('a constant is needed here, or an expression that is marked', expression, help);
  return {
    kind: 'constant',
    value: evaluate(expression, context.scope),
    origin: { file: context.file, range: expression },
  };
}

/** What the text says counts, not how it came about: a part of it may be taken from the environment. */
function decodeKey(expression: Expression, spec: AttributeSpec, context: ValueContext): ArgumentSource {
  if (expression.kind === 'list' || expression.kind === 'object') throw wrongKind('a text is needed here', expression);
  const source = decodeCel(expression, spec, context);
  if (source === undefined) throw wrongKind('a key must not be empty', expression);
  const isExpression =
    bareSource(expression, context) !== undefined ||
    (source.constant === undefined && isExpressionText(source.source, spec, context.expressionFunctions));
  return isExpression
    ? source
    : { kind: 'constant', value: source.constant?.value ?? source.source, origin: source.origin };
}

/**
 * Whether a text of an argument is an expression: it reads the message, or calls one of the functions as a whole. Where
 * `reads` has `error`, one that reads the error is an expression too; elsewhere that is an ordinary text.
 */
export function isExpressionText(
  text: string,
  { form, reads = [] }: Pick<AttributeSpec, 'form' | 'reads'>,
  functions: ReadonlySet<string>,
): boolean {
  if (readsMessage.test(text) || (form === 'key' && computedKey.test(text))) return true;
  if (reads.includes('error') && readsError.test(text)) return true;
  const call = wholeCall.exec(text)?.[1];
  return call !== undefined && functions.has(call);
}
