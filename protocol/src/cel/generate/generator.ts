import type {
  BinaryExpression,
  CallExpression,
  Expression,
  IndexExpression,
  ListExpression,
  MapExpression,
} from '../ast.ts';
import { Compiler, type CompilerOptions } from '../compile/compiler.ts';
import { resolveCall } from '../compile/resolve.ts';
import { type Macro, macroOf } from '../macros.ts';
import { typeValues } from '../values/type-value.ts';
import { generateComprehension } from './comprehension.ts';
import { generateOperator } from './operators.ts';
import { helperNames } from './support.ts';

/** Thrown for what is left to the closures. */
export class NotGenerated extends Error {
  override readonly name = 'NotGenerated';
}

/** JavaScript names of the variables of macros. */
export type Names = ReadonlyMap<string, string>;

/**
 * Writes an expression as JavaScript statements. They hold the common case only: on anything else they throw, and
 * the closures, which hold the exact meaning, evaluate again. Texts of the expression enter the source as JSON
 * strings or not at all; other constants are passed in a list `k`.
 */
export class Generator {
  readonly options: CompilerOptions;
  readonly constants: unknown[] = [];
  /** How many loops surround the place that is written. */
  loops = 0;
  readonly #lines: string[] = [];
  #count = 0;

  constructor(options: CompilerOptions) {
    this.options = options;
  }

  /** The body of a function of the variables `v`. Throws NotGenerated. */
  body(expression: Expression): string {
    const result = this.write(expression, new Map());
    return `${this.#lines.join('\n')}\nreturn ${result};`;
  }

  emit(line: string): void {
    this.#lines.push(line);
  }

  /** Declares a new JavaScript variable and gives its name. */
  temporary(value?: string): string {
    const name = `t${this.#count++}`;
    this.emit(value === undefined ? `let ${name};` : `let ${name} = ${value};`);
    return name;
  }

  constant(value: unknown): string {
    return `k[${this.constants.push(value) - 1}]`;
  }

  /** Emits the statements for an expression and gives the JavaScript name or literal of its value. */
  write(node: Expression, names: Names): string {
    switch (node.kind) {
      case 'literal':
        return this.literal(node.value);
      case 'identifier': {
        const local = node.absolute ? undefined : names.get(node.name);
        if (local !== undefined) return local;
        if (typeValues.has(node.name)) throw new NotGenerated();
        const name = this.#variable(node.name);
        this.emit(`if (${name} === undefined) throw bail;`);
        return name;
      }
      case 'select': {
        if (
          node.optional ||
          (node.operand.kind === 'select' &&
            node.operand.operand.kind === 'identifier' &&
            typeValues.has(typePath(node)))
        )
          throw new NotGenerated();
        const field = JSON.stringify(node.field);
        const operand = this.write(node.operand, names);
        const name = this.temporary();
        this.emit(
          `if (!(${plain(operand)}) || (${name} = ${operand}[${field}]) === undefined || !own.call(${operand}, ${field})) ${name} = select(${operand}, ${field});`,
        );
        return name;
      }
      case 'index':
        return this.#index(node, names);
      case 'call':
        return this.#call(node, names);
      case 'list':
        return this.#list(node, names);
      case 'map':
        return this.#map(node, names);
      case 'unary': {
        const operand = this.write(node.operand, names);
        if (node.operator === '-')
          return this.temporary(`typeof ${operand} === 'number' ? -${operand} : negate(${operand})`);
        this.emit(`if (typeof ${operand} !== 'boolean') throw bail;`);
        return this.temporary(`!${operand}`);
      }
      case 'binary':
        if (node.operator === '??') return this.#fallback(node.left, node.right, names);
        if (node.operator === '&&' || node.operator === '||') return this.#logical(node, names);
        return generateOperator(this, node, node.operator, names);
      case 'conditional': {
        const condition = this.write(node.condition, names);
        const name = this.temporary();
        this.emit(`if (${condition} === true) {`);
        this.emit(`${name} = ${this.write(node.then, names)};`);
        this.emit(`} else if (${condition} === false) {`);
        this.emit(`${name} = ${this.write(node.otherwise, names)};`);
        this.emit('} else throw bail;');
        return name;
      }
      default:
        throw new NotGenerated();
    }
  }

  literal(value: unknown): string {
    if (typeof value === 'string') return JSON.stringify(value);
    if (typeof value === 'boolean' || value === null) return String(value);
    // In brackets, since a sign may precede it.
    if (typeof value === 'bigint') return `(${value}n)`;
    if (typeof value === 'number' && Number.isFinite(value) && !Object.is(value, -0)) return `(${value})`;
    return this.constant(value);
  }

  #variable(name: string): string {
    if (name in Object.prototype) throw new NotGenerated();
    return this.temporary(`v[${JSON.stringify(name)}]`);
  }

  #logical(node: BinaryExpression, names: Names): string {
    const deciding = node.operator === '||';
    const left = this.write(node.left, names);
    const name = this.temporary(String(deciding));
    this.emit(`if (${left} === ${!deciding}) {`);
    const right = this.write(node.right, names);
    this.emit(`if (typeof ${right} !== 'boolean') throw bail;`);
    this.emit(`${name} = ${right};`);
    this.emit(`} else if (${left} !== ${deciding}) throw bail;`);
    return name;
  }

  #index(node: IndexExpression, names: Names): string {
    if (node.optional) throw new NotGenerated();
    const operand = this.write(node.operand, names);
    const index = this.write(node.index, names);
    const { value } = node.index.kind === 'literal' ? node.index : {};
    const name = this.temporary();
    const position = typeof value === 'bigint' && value >= 0n && value < 2n ** 31n ? String(value) : undefined;
    const quick =
      position === undefined
        ? 'false'
        : `Array.isArray(${operand}) && (${name} = ${operand}[${position}] ?? undefined) !== undefined`;
    this.emit(`if (!(${quick})) ${name} = elementAt(${operand}, ${index});`);
    return name;
  }

  #list(node: ListExpression, names: Names): string {
    if (node.elements.some(({ optional }) => optional)) throw new NotGenerated();
    const elements = node.elements.map(({ value }) => this.write(value, names));
    return this.temporary(`[${elements.join(', ')}]`);
  }

  #map(node: MapExpression, names: Names): string {
    const keys = node.entries.map(({ key }) => (key.kind === 'literal' ? key.value : undefined));
    const plain = keys.every((key) => typeof key === 'string') && new Set(keys).size === keys.length;
    if (!plain || node.entries.some(({ optional }) => optional)) throw new NotGenerated();
    const values = node.entries.map(({ value }) => this.write(value, names));
    const name = this.temporary('new Fields()');
    for (const [at, value] of values.entries()) this.emit(`${name}[${JSON.stringify(keys[at])}] = ${value};`);
    return name;
  }

  #call(node: CallExpression, names: Names): string {
    const macro = macroOf(node, this.options.dialect);
    if (macro?.kind === 'problem') throw new NotGenerated();
    if (macro) return this.#macro(macro, names);
    const { functions, isVariable } = this.options;
    const resolved = resolveCall(node, functions, (name) => names.has(name) || (isVariable?.(name) ?? false));
    // Functions of the host may do more than give a value, so they are never called a second time.
    if (resolved.kind !== 'function') throw new NotGenerated();
    const { known, operands } = resolved;
    if (operands.every(({ kind }) => kind === 'literal')) {
      const { constant } = new Compiler(this.options).compile(node);
      if (constant) return this.literal(constant.value);
    }
    const work =
      known.prepare?.(operands.map((operand) => (operand.kind === 'literal' ? operand.value : undefined))) ??
      known.work;
    const callee = this.constant(work);
    const args = operands.map((operand) => this.write(operand, names));
    const name = this.temporary(`${callee}(${args.join(', ')}) ?? null`);
    if (this.loops > 0) this.emit(`if ((meter.left -= sizeCost(${name})) < 0) throw bail;`);
    return name;
  }

  #macro(macro: Macro, names: Names): string {
    switch (macro.kind) {
      case 'has': {
        const operand = this.write(macro.select.operand, names);
        const field = JSON.stringify(macro.select.field);
        return this.temporary(
          `${plain(operand)} ? ${operand}[${field}] !== undefined && own.call(${operand}, ${field}) : has(${operand}, ${field})`,
        );
      }
      case 'default':
        return this.#fallback(macro.value, macro.alternative, names);
      case 'bind': {
        const value = this.temporary(this.write(macro.value, names));
        return this.write(macro.body, new Map(names).set(macro.variable, value));
      }
      case 'comprehension':
        return generateComprehension(this, macro, names);
      default:
        throw new NotGenerated();
    }
  }

  #fallback(left: Expression, right: Expression, names: Names): string {
    const value = this.temporary(this.#tolerant(left, names));
    this.emit(`if (${value} instanceof CelOptional) ${value} = ${value}.value;`);
    this.emit(`if (${value} === undefined || ${value} === null || ${value} === '') {`);
    this.emit(`${value} = ${this.write(right, names)};`);
    this.emit('}');
    return value;
  }

  #tolerant(node: Expression, names: Names): string {
    if (node.kind === 'identifier')
      return (node.absolute ? undefined : names.get(node.name)) ?? this.#variable(node.name);
    if (node.kind === 'select') {
      const operand = this.#tolerant(node.operand, names);
      const field = JSON.stringify(node.field);
      const name = this.temporary();
      this.emit(
        `if (!(${plain(operand)}) || ((${name} = ${operand}[${field}]) !== undefined && !own.call(${operand}, ${field}))) ${name} = peek(${operand}, ${field});`,
      );
      return name;
    }
    if (node.kind === 'index') {
      const operand = this.#tolerant(node.operand, names);
      return this.temporary(`peek(${operand}, ${this.write(node.index, names)})`);
    }
    return this.write(node, names);
  }
}

/** JavaScript that is true for an object whose fields can be read directly. */
function plain(name: string): string {
  return `typeof ${name} === 'object' && ${name} !== null && (${name}.constructor === Object || ${name}.constructor === undefined)`;
}

/** Names that generated code may use; nothing else of the surroundings is in reach by a name of ours. */
export const parameterNames: readonly string[] = ['k', ...helperNames];

function typePath(node: Expression): string {
  return node.kind === 'identifier'
    ? node.name
    : node.kind === 'select'
      ? `${typePath(node.operand)}.${node.field}`
      : '';
}
