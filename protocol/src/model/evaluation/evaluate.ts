import type {
  BinaryExpression,
  Expression,
  ForExpression,
  Name,
  NumberLiteral,
  SplatExpression,
  TemplatePart,
} from '../../syntax/index.ts';
import { closest, type Range } from '../../text/index.ts';
import { callFunction, functionNames } from './functions.ts';
import { EvaluationError, type EvaluationScope } from './scope.ts';

/**
 * A value of the configuration language: text, number, bigint where a double is not exact, boolean, null, list or
 * null-prototype object.
 */
export type ConfigurationValue = unknown;

/**
 * Evaluates one expression while files are read (docs/specification/language.md#values-that-are-known-at-start). Throws
 * EvaluationError.
 */
export function evaluate(expression: Expression, scope: EvaluationScope): ConfigurationValue {
  switch (expression.kind) {
    case 'number':
      return numberOf(expression);
    case 'boolean':
      return expression.value;
    case 'null':
      return null;
    case 'template':
      return evaluateTemplate(expression.parts, scope);
    case 'list':
      return expression.items.map((item) => evaluate(item, scope));
    case 'object':
      return evaluateObject(expression.entries, scope);
    case 'parenthesized':
      return evaluate(expression.expression, scope);
    case 'variable':
      return variable(expression.name, expression, scope);
    case 'attribute-access':
      return attributeOf(evaluate(expression.target, scope), expression.name.text, expression);
    case 'index':
      return element(evaluate(expression.target, scope), evaluate(expression.key, scope), expression);
    case 'splat':
      return splat(expression, scope);
    case 'call': {
      const values = expression.arguments.map((argument) => evaluate(argument, scope));
      const last = values.at(-1);
      const spread = expression.expandLast && Array.isArray(last) ? [...values.slice(0, -1), ...last] : values;
      return callFunction(expression, spread, scope);
    }
    case 'conditional':
      return truth(evaluate(expression.condition, scope), expression.condition)
        ? evaluate(expression.then, scope)
        : evaluate(expression.otherwise, scope);
    case 'unary': {
      const operand = evaluate(expression.operand, scope);
      if (expression.operator === '!') return !truth(operand, expression);
      return typeof operand === 'bigint' ? -operand : -number(operand, expression);
    }
    case 'binary':
      return binary(expression, scope);
    case 'for':
      return comprehension(expression, scope);
    case 'invalid':
      throw new EvaluationError('this is not an expression', expression);
  }
}

/** Whether everything that the expression names exists while files are read, so that it can be evaluated then. */
export function isReadable(expression: Expression, scope: EvaluationScope): boolean {
  switch (expression.kind) {
    case 'variable':
      return Object.hasOwn(scope.variables, expression.name);
    case 'attribute-access':
      return isReadable(expression.target, scope);
    case 'index':
      return isReadable(expression.target, scope) && isReadable(expression.key, scope);
    case 'call':
      return functionNames.includes(expression.name.text) && expression.arguments.every((a) => isReadable(a, scope));
    case 'parenthesized':
      return isReadable(expression.expression, scope);
    case 'unary':
      return isReadable(expression.operand, scope);
    case 'binary':
      return isReadable(expression.left, scope) && isReadable(expression.right, scope);
    case 'conditional':
      return [expression.condition, expression.then, expression.otherwise].every((part) => isReadable(part, scope));
    case 'list':
      return expression.items.every((item) => isReadable(item, scope));
    case 'template':
      return expression.parts.every((part) => part.kind !== 'interpolation' || isReadable(part.expression, scope));
    case 'number':
    case 'boolean':
    case 'null':
      return true;
    default:
      return false;
  }
}

function evaluateTemplate(parts: readonly TemplatePart[], scope: EvaluationScope): ConfigurationValue {
  const [only] = parts;
  if (only === undefined) return '';
  // A template that is one hole and nothing else has the value of the hole, whatever its type.
  if (parts.length === 1 && only.kind === 'interpolation') return evaluate(only.expression, scope);
  return render(parts, scope);
}

function render(parts: readonly TemplatePart[], scope: EvaluationScope): string {
  let text = '';
  for (const part of parts) {
    if (part.kind === 'text') text += part.value;
    else if (part.kind === 'interpolation') text += asText(evaluate(part.expression, scope), part.expression);
    else if (part.kind === 'conditional-directive')
      text += render(truth(evaluate(part.condition, scope), part.condition) ? part.then : part.otherwise, scope);
    else
      for (const [key, value] of entriesOf(evaluate(part.collection, scope), part.collection))
        text += render(part.body, binding(scope, part.key, key, part.value, value));
  }
  return text;
}

function evaluateObject(entries: readonly { key: Expression; value: Expression }[], scope: EvaluationScope) {
  const object = Object.create(null) as Record<string, unknown>;
  for (const { key, value } of entries) object[keyText(key, scope)] = evaluate(value, scope);
  return object;
}

/** The text of an object key: a bare name denotes itself. */
export function keyText(key: Expression, scope: EvaluationScope): string {
  return key.kind === 'variable' ? key.name : asText(evaluate(key, scope), key);
}

function variable(name: string, range: Range, scope: EvaluationScope): ConfigurationValue {
  if (Object.hasOwn(scope.variables, name)) return scope.variables[name];
  const near = closest(name, Object.keys(scope.variables));
  throw new EvaluationError(
    `"${name}" is not known while files are read`,
    range,
    near ? `Did you mean "${near}"?` : 'Texts are written in double quotes; only `constants` can be read here.',
  );
}

function attributeOf(target: unknown, name: string, range: Range): ConfigurationValue {
  if (isObject(target) && Object.hasOwn(target, name)) return target[name];
  if (!isObject(target)) throw new EvaluationError(`only objects have attributes such as "${name}"`, range);
  const near = closest(name, Object.keys(target));
  throw new EvaluationError(`there is no "${name}" here`, range, near ? `Did you mean "${near}"?` : undefined);
}

function element(target: unknown, key: unknown, range: Range): ConfigurationValue {
  if (Array.isArray(target)) {
    const index = Number(key);
    if (Number.isInteger(index) && index >= 0 && index < target.length) return target[index];
    throw new EvaluationError(`the list has no element ${String(key)}`, range);
  }
  return attributeOf(target, String(key), range);
}

function splat(expression: SplatExpression, scope: EvaluationScope): ConfigurationValue {
  return follow(evaluate(expression.target, scope), [starOf(expression), ...expression.each], scope);
}

function starOf({ start, end }: Range): SplatExpression['each'][number] {
  return { kind: 'star', start, end };
}

/** Applies accesses one after the other; a star applies those behind it to every element. */
function follow(value: unknown, accesses: SplatExpression['each'], scope: EvaluationScope): unknown {
  const [access, ...rest] = accesses;
  if (access === undefined) return value;
  if ('kind' in access && access.kind === 'star')
    return (Array.isArray(value) ? value : value === null ? [] : [value]).map((item) => follow(item, rest, scope));
  const next =
    'kind' in access
      ? element(value, evaluate(access, scope), access)
      : attributeOf(value, (access as Name).text, access);
  return follow(next, rest, scope);
}

function binary(expression: BinaryExpression, scope: EvaluationScope): ConfigurationValue {
  const { operator, left, right } = expression;
  const a = evaluate(left, scope);
  const b = evaluate(right, scope);
  switch (operator) {
    case '||':
      return truth(a, left) || truth(b, right);
    case '&&':
      return truth(a, left) && truth(b, right);
    case '==':
      return equal(a, b);
    case '!=':
      return !equal(a, b);
  }
  const x = number(a, left);
  const y = number(b, right);
  switch (operator) {
    case '+':
      return x + y;
    case '-':
      return x - y;
    case '*':
      return x * y;
    case '<':
      return x < y;
    case '>':
      return x > y;
    case '<=':
      return x <= y;
    case '>=':
      return x >= y;
    case '/':
    case '%':
      if (y === 0) throw new EvaluationError('division by zero', right);
      return operator === '/' ? x / y : x % y;
  }
}

function comprehension(expression: ForExpression, scope: EvaluationScope): ConfigurationValue {
  const collection = evaluate(expression.collection, scope);
  const list: unknown[] = [];
  const object = Object.create(null) as Record<string, unknown>;
  for (const [key, value] of entriesOf(collection, expression.collection)) {
    const inner = binding(scope, expression.keyName, key, expression.valueName, value);
    if (expression.condition && !truth(evaluate(expression.condition, inner), expression.condition)) continue;
    const result = evaluate(expression.value, inner);
    if (expression.key === undefined) {
      list.push(result);
      continue;
    }
    const name = asText(evaluate(expression.key, inner), expression.key);
    if (!expression.grouped && Object.hasOwn(object, name))
      throw new EvaluationError(`the key "${name}" is produced twice`, expression.key, 'Write `...` to group values.');
    object[name] = expression.grouped ? [...((object[name] as unknown[] | undefined) ?? []), result] : result;
  }
  return expression.form === 'list' ? list : object;
}

function binding(scope: EvaluationScope, keyName: Name | undefined, key: unknown, valueName: Name, value: unknown) {
  const variables: Record<string, unknown> = { ...scope.variables, [valueName.text]: value };
  if (keyName) variables[keyName.text] = key;
  return { ...scope, variables };
}

function entriesOf(collection: unknown, range: Range): [unknown, unknown][] {
  if (Array.isArray(collection)) return collection.map((value, index) => [index, value]);
  if (isObject(collection))
    return Object.keys(collection)
      .sort()
      .map((key) => [key, collection[key]]);
  throw new EvaluationError('only lists and objects can be walked', range);
}

function truth(value: unknown, range: Range): boolean {
  if (typeof value === 'boolean') return value;
  if (value === 'true') return true;
  if (value === 'false') return false;
  throw new EvaluationError('true or false is needed here', range);
}

/** A whole number that a double cannot hold is a bigint, as far as 64 bits reach. */
function numberOf({ value, source, integer }: NumberLiteral): number | bigint {
  if (!integer || Number.isSafeInteger(value) || source.length > 19) return value;
  const exact = BigInt(source);
  return exact < 2n ** 63n ? exact : value;
}

function number(value: unknown, range: Range): number {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number') return value;
  if (typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))) return Number(value);
  throw new EvaluationError('a number is needed here', range);
}

function asText(value: unknown, range: Range): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  throw new EvaluationError(
    value === null ? 'null has no text' : 'lists and objects cannot be written inside a text',
    range,
  );
}

function equal(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => equal(item, b[i]));
  if (isObject(a) && isObject(b)) {
    const keys = Object.keys(a);
    return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]));
  }
  return a === b;
}

/** Whether a configuration value is an object (not a list, not null). */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
