import { Fields } from '@svc/protocol/cel';
import type { ArgumentSource, CelSource, TemplateSource, WrittenWords } from '@svc/protocol/schema';
import { anonymous } from '../../../foundation/contracts/message.ts';
import type { DeferredExpression } from '../../../foundation/contracts/words.ts';
import type { FlowTools } from '../tools.ts';
import { type Argument, compileArgument, evaluator, type Scope, written } from './argument.ts';
import { type Expression, kindOf, type Repeating, unusable } from './expression.ts';

/** One value of a connector-specific attribute for each message. */
export interface WordValue {
  /** The attribute, or a field of it: `routing_key`, `attributes.tenant`. */
  readonly name: string;
  readonly expression: string;
  readonly argument: Argument;
  /** Puts the value where the connector reads it. */
  readonly keep: (words: Record<string, unknown>, value: unknown) => void;
}

type Source = ArgumentSource | TemplateSource;

/** The values of a connector's own attributes, in the order of their names. `title` begins the messages of failures. */
export function wordValues({ evaluated }: WrittenWords, title: string, tools: FlowTools): readonly WordValue[] {
  return Object.entries(evaluated).flatMap(([word, source]): WordValue[] => {
    if ('kind' in source) {
      const keep: WordValue['keep'] = (words, value) => {
        words[word] = value;
      };
      return [{ name: word, ...compileSource(source, `${title}: ${word}`, tools), keep }];
    }
    return source.fields.map(({ name, value }) => ({
      name: `${word}.${name}`,
      ...compileSource(value, `${title}: ${word}.${name}`, tools),
      keep: (words, given) => {
        const fields = (words[word] ??= new Fields()) as Record<string, unknown>;
        fields[name] = given;
      },
    }));
  });
}

/** Those that the connector evaluates itself; undefined without any. */
export function deferredWords(
  { fixed }: WrittenWords,
  title: string,
  tools: FlowTools,
): Readonly<Record<string, DeferredExpression>> | undefined {
  const { constants } = tools.project;
  const found = Object.entries(fixed).flatMap(([word, value]) => {
    if (!isSource(value)) return [];
    const expression = tools.expression(value, `${title}: ${word}`);
    const evaluate: DeferredExpression['evaluate'] = (variables) =>
      expression.evaluate({ ctx: noContext, constants, auth: anonymous, ...variables });
    return [[word, { source: value.source, evaluate }] as const];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

const noContext: Readonly<Record<string, unknown>> = Object.freeze(new Fields());

function isSource(value: unknown): value is CelSource {
  return typeof value === 'object' && value !== null && (value as Partial<CelSource>).kind === 'cel';
}

/** All of them at once; undefined without any. */
export function compileWords(
  words: WrittenWords,
  title: string,
  tools: FlowTools,
): ((scope: Scope) => Readonly<Record<string, unknown>>) | undefined {
  const values = wordValues(words, title, tools).map(({ argument, keep }) => ({ keep, evaluate: evaluator(argument) }));
  if (values.length === 0) return undefined;
  return (scope) => {
    const given: Record<string, unknown> = new Fields();
    for (const { keep, evaluate } of values) keep(given, evaluate?.(scope));
    return given;
  };
}

function compileSource(source: Source, title: string, tools: FlowTools): Pick<WordValue, 'expression' | 'argument'> {
  const expression = (cel: CelSource, at: string) => tools.expression(cel, at);
  if (source.kind === 'template') return compileText(source, title, expression);
  const argument = compileArgument(source, expression, title, true);
  if (source.kind !== 'cel' || source.gives === undefined || 'constant' in argument)
    return { expression: written(source), argument };
  const { gives } = source;
  return {
    expression: source.source,
    argument: { evaluate: (scope) => held(argument.evaluate(scope), gives, title, argument.expression, scope) },
  };
}

const kinds = {
  bool: ['true or false', (value: unknown) => typeof value === 'boolean'],
  int: ['a whole number', (value: unknown) => typeof value === 'bigint'],
  string: ['a text', (value: unknown) => typeof value === 'string'],
  list: ['a list', Array.isArray],
  map: ['an object', (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)],
} as const;

/** Connectors receive values of the types in their specs: other values fail before the call. Null counts as absent. */
function held(
  value: unknown,
  gives: keyof typeof kinds,
  title: string,
  made: Repeating | undefined,
  scope: Scope,
): unknown {
  const [what, isFitting] = kinds[gives];
  if (value === null || isFitting(value)) return value ?? undefined;
  throw unusable(`${title} must give ${what}, not ${kindOf(value)}`, made, scope);
}

/** A text with expressions in it, inserted without escaping, since it is not a key. */
function compileText(
  { parts }: TemplateSource,
  title: string,
  expression: (cel: CelSource, at: string) => Expression,
): Pick<WordValue, 'expression' | 'argument'> {
  const compiled = parts.map((part) => (typeof part === 'string' ? part : expression(part, title)));
  const evaluate = (scope: Scope): string =>
    compiled.map((part) => (typeof part === 'string' ? part : textOf(part, scope, title))).join('');
  const source = parts.map((part) => (typeof part === 'string' ? part : `\${${part.source}}`)).join('');
  return { expression: source, argument: { evaluate } };
}

function textOf(part: Expression, scope: Scope, title: string): string {
  const value = part.evaluate(scope);
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  throw unusable(`${title} must be made of texts and numbers, not of ${kindOf(value)}`, part, scope);
}
