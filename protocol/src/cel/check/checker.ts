import type { Range } from '../../text/index.ts';
import { closest } from '../../text/index.ts';
import type { Expression, IdentifierExpression, IndexExpression, SelectExpression } from '../ast.ts';
import type { CelProblem, VariableDeclaration } from '../engine.ts';
import type { FunctionTable } from '../function-table.ts';
import { type Comprehension, type Macro, macroOf } from '../macros.ts';
import { bool, bytes, type CelType, double, dyn, int, list, map, nullType, string, uint } from '../types.ts';
import { kindOf, withArticle } from '../values/kind.ts';
import { typeValues } from '../values/type-value.ts';
import { checkCall } from './calls.ts';
import { operatorType } from './operators.ts';
import { isNumber, join, typeName } from './relations.ts';

export interface CheckerOptions {
  readonly dialect: 'product' | 'strict';
  readonly functions: FunctionTable;
  /** Absent: every name is a variable of unknown type. */
  readonly variables?: readonly VariableDeclaration[] | undefined;
  /** Whether functions may be called whose values come later. */
  readonly waits: boolean;
}

/** The types of the variables that macros declare. */
export type Locals = ReadonlyMap<string, CelType>;

const noLocals: Locals = new Map();
const typeType: CelType = { kind: 'type' };

/** Finds the type of an expression, and what cannot work whatever the values are. */
export class Checker {
  readonly options: CheckerOptions;
  readonly problems: CelProblem[] = [];
  readonly #variables: ReadonlyMap<string, CelType> | undefined;

  constructor(options: CheckerOptions) {
    this.options = options;
    this.#variables = options.variables && new Map(options.variables.map(({ name, type }) => [name, type]));
  }

  problem(message: string, { start, end }: Range, suggestion?: string, misplaced?: true): CelType {
    this.problems.push({
      severity: 'error',
      message,
      range: { start, end },
      suggestion,
      ...(misplaced && { misplaced }),
    });
    return dyn;
  }

  isVariable(name: string, locals: Locals): boolean {
    return locals.has(name) || (this.#variables?.has(name) ?? false);
  }

  check(node: Expression, locals: Locals = noLocals): CelType {
    switch (node.kind) {
      case 'literal':
        return typeOfLiteral(node.value);
      case 'identifier':
        return this.#identifier(node, locals);
      case 'select':
        return this.#select(node, locals, false);
      case 'index':
        return this.#index(node, locals, false);
      case 'call': {
        const macro = macroOf(node, this.options.dialect);
        if (macro?.kind === 'problem') return this.problem(macro.message, macro.range);
        return macro ? this.#macro(macro, locals) : checkCall(this, node, locals);
      }
      case 'list':
        return list(this.#joined(node.elements, locals));
      case 'map':
        return map(
          this.#joined(
            node.entries.map(({ key }) => ({ value: key, optional: false })),
            locals,
          ),
          this.#joined(node.entries, locals),
        );
      case 'unary':
        return node.operator === '!' ? this.condition(node.operand, locals, '!') : this.#negation(node.operand, locals);
      case 'binary': {
        const { operator } = node;
        if (operator === '&&' || operator === '||') {
          this.condition(node.left, locals, operator);
          return this.condition(node.right, locals, operator);
        }
        if (operator === '??') return this.#fallback(node.left, node.right, locals);
        const left = this.check(node.left, locals);
        const right = this.check(node.right, locals);
        const result = operatorType(operator, left, right, this.options.dialect === 'product');
        return result ?? this.problem(`${typeName(left)} ${operator} ${typeName(right)} is not defined`, node);
      }
      case 'conditional': {
        this.condition(node.condition, locals, '?:');
        return join(this.check(node.then, locals), this.check(node.otherwise, locals));
      }
      case 'message':
        return this.problem('messages are not supported; write a map: {"field": value}', node);
      case 'missing':
        return dyn;
    }
  }

  /** Checks a part that must be a bool. */
  condition(node: Expression, locals: Locals, where: string): CelType {
    const type = this.check(node, locals);
    if (type.kind !== 'bool' && type.kind !== 'dyn')
      this.problem(`${where} needs a bool, this is ${withArticle(typeName(type))}`, node);
    return bool;
  }

  #identifier(node: IdentifierExpression, locals: Locals): CelType {
    const { name } = node;
    const known = (node.absolute ? undefined : locals.get(name)) ?? this.#variables?.get(name);
    if (known) return known;
    if (typeValues.has(name)) return typeType;
    if (!this.#variables) return dyn;
    const suggestion = closest(name, [...locals.keys(), ...this.#variables.keys()]);
    return this.problem(`there is no variable ${JSON.stringify(name)} here`, node, suggestion);
  }

  /** `tolerant` where an absent field is not a mistake. */
  #select(node: SelectExpression, locals: Locals, tolerant: boolean): CelType {
    if (this.#isTypeName(node, locals)) return typeType;
    const operand = tolerant ? this.#path(node.operand, locals) : this.check(node.operand, locals);
    const optional = operand.kind === 'optional';
    const field = this.#field(
      optional ? operand.element : operand,
      node.field,
      node.fieldRange,
      tolerant || node.optional,
    );
    return optional || node.optional ? { kind: 'optional', element: field } : field;
  }

  #field(operand: CelType, field: string, range: Range, tolerant: boolean): CelType {
    if (operand.kind === 'dyn') return dyn;
    if (operand.kind === 'map') return operand.value;
    if (operand.kind !== 'struct')
      return this.problem(`${withArticle(typeName(operand))} has no field ${JSON.stringify(field)}`, range);
    if (Object.hasOwn(operand.fields, field)) return operand.fields[field] as CelType;
    if (operand.open || tolerant) return dyn;
    return this.problem(
      `there is no field ${JSON.stringify(field)} here`,
      range,
      closest(field, Object.keys(operand.fields)),
    );
  }

  #index(node: IndexExpression, locals: Locals, tolerant: boolean): CelType {
    const operand = tolerant ? this.#path(node.operand, locals) : this.check(node.operand, locals);
    const index = this.check(node.index, locals);
    const container = operand.kind === 'optional' ? operand.element : operand;
    const optional = operand.kind === 'optional' || node.optional;
    const element = this.#element(container, index, node, tolerant || node.optional);
    return optional ? { kind: 'optional', element } : element;
  }

  #element(container: CelType, index: CelType, node: IndexExpression, tolerant: boolean): CelType {
    switch (container.kind) {
      case 'dyn':
        return dyn;
      case 'list':
        if (index.kind !== 'dyn' && !isNumber(index))
          return this.problem(`a list is indexed by an int, this is ${withArticle(typeName(index))}`, node.index);
        return container.element;
      case 'map':
        return container.value;
      case 'struct':
        if (node.index.kind !== 'literal' || typeof node.index.value !== 'string') return dyn;
        return this.#field(container, node.index.value, node.index, tolerant);
      default:
        return this.problem(`${withArticle(typeName(container))} cannot be indexed`, node);
    }
  }

  /** A path that tolerates absence: `a.b['c']`. */
  #path(node: Expression, locals: Locals): CelType {
    if (node.kind === 'select') return this.#select(node, locals, true);
    return node.kind === 'index' ? this.#index(node, locals, true) : this.check(node, locals);
  }

  #fallback(left: Expression, right: Expression, locals: Locals): CelType {
    const found = this.#path(left, locals);
    const value = found.kind === 'optional' ? found.element : found;
    const alternative = this.check(right, locals);
    return value.kind === 'null_type' ? alternative : join(value, alternative);
  }

  #negation(operand: Expression, locals: Locals): CelType {
    const type = this.check(operand, locals);
    if (type.kind === 'int' || type.kind === 'double' || type.kind === 'dyn') return type;
    return this.problem(`-${typeName(type)} is not defined`, operand);
  }

  #joined(elements: readonly { readonly value: Expression; readonly optional: boolean }[], locals: Locals): CelType {
    let joined: CelType | undefined;
    for (const { value, optional } of elements) {
      const type = this.check(value, locals);
      const element = !optional ? type : type.kind === 'optional' ? type.element : dyn;
      joined = joined ? join(joined, element) : element;
    }
    return joined ?? dyn;
  }

  #macro(macro: Macro, locals: Locals): CelType {
    switch (macro.kind) {
      case 'has':
        this.#select(macro.select, locals, true);
        return bool;
      case 'default':
        return this.#fallback(macro.value, macro.alternative, locals);
      case 'bind':
        return this.check(macro.body, new Map(locals).set(macro.variable, this.check(macro.value, locals)));
      case 'optional-map': {
        const element = this.#optional(macro.operand, locals);
        const result = this.check(macro.body, new Map(locals).set(macro.variable, element));
        return macro.flat ? result : { kind: 'optional', element: result };
      }
      case 'optional-or': {
        const element = this.#optional(macro.operand, locals);
        const other = this.check(macro.alternative, locals);
        if (macro.unwrap) return join(element, other);
        return { kind: 'optional', element: other.kind === 'optional' ? join(element, other.element) : dyn };
      }
      case 'comprehension':
        return this.#comprehension(macro, locals);
    }
  }

  /** The type inside an optional. */
  #optional(node: Expression, locals: Locals): CelType {
    const type = this.check(node, locals);
    if (type.kind === 'optional') return type.element;
    return type.kind === 'dyn'
      ? dyn
      : this.problem(`an optional is expected, this is ${withArticle(typeName(type))}`, node);
  }

  #comprehension(macro: Comprehension, locals: Locals): CelType {
    const range = this.check(macro.range, locals);
    const [key, value] = this.#elements(range, macro);
    const [first, second] = macro.variables;
    const inner = new Map(locals);
    if (second === undefined) inner.set(first, range.kind === 'list' ? value : key);
    else inner.set(first, key).set(second, value);
    const element = inner.get(first) as CelType;
    if (macro.filter) this.condition(macro.filter, inner, `${macro.name}()`);
    switch (macro.name) {
      case 'all':
      case 'exists':
      case 'exists_one':
        return this.condition(macro.body, inner, `${macro.name}()`);
      case 'filter':
        this.condition(macro.body, inner, 'filter()');
        return list(element);
      case 'sortBy':
        this.check(macro.body, inner);
        return list(element);
      case 'map':
      case 'transformList':
        return list(this.check(macro.body, inner));
      case 'transformMap':
        return map(key, this.check(macro.body, inner));
      case 'transformMapEntry': {
        const entries = this.check(macro.body, inner);
        return entries.kind === 'map' ? entries : map(dyn, dyn);
      }
    }
  }

  /** Types of the keys (or positions) and values of what a macro goes through. */
  #elements(range: CelType, macro: Comprehension): readonly [CelType, CelType] {
    switch (range.kind) {
      case 'list':
        return [int, range.element];
      case 'map':
        return [range.key, range.value];
      case 'struct':
        return [string, dyn];
      case 'dyn':
        return [dyn, dyn];
      default:
        this.problem(`${macro.name}() needs a list or map, this is ${withArticle(typeName(range))}`, macro.range);
        return [dyn, dyn];
    }
  }

  #isTypeName(node: SelectExpression, locals: Locals): boolean {
    if (node.operand.kind !== 'select' || node.operand.operand.kind !== 'identifier') return false;
    const root = node.operand.operand.name;
    return !this.isVariable(root, locals) && typeValues.has(`${root}.${node.operand.field}.${node.field}`);
  }
}

function typeOfLiteral(value: unknown): CelType {
  const types: Partial<Record<string, CelType>> = { int, uint, double, bool, string, bytes, null_type: nullType };
  return types[kindOf(value)] ?? dyn;
}
