import type { CallExpression, Expression, IdentifierExpression, ListExpression, MapExpression } from '../ast.ts';
import type { FunctionTable } from '../function-table.ts';
import { type Macro, macroOf } from '../macros.ts';
import { optionalOf } from '../stdlib/optionals.ts';
import { elementAt, has, isBlank, optionalAt, peek, select } from '../values/access.ts';
import { Fields, MapBuilder } from '../values/map.ts';
import { CelOptional } from '../values/optional.ts';
import { typeValues } from '../values/type-value.ts';
import { compileCall } from './call.ts';
import { at1, at2, type Code, constantCode, type Evaluate, failAt } from './code.ts';
import { compileComprehension } from './comprehension.ts';
import { compileConditional, compileLogical, compileNot } from './logic.ts';
import { dottedName } from './names.ts';
import { compileNegation, compileOperator } from './operators.ts';
import { Scope } from './scope.ts';

export interface CompilerOptions {
  readonly dialect: 'product' | 'strict';
  readonly functions: FunctionTable;
  /** Whether a name is a variable; undefined when every name may be one. */
  readonly isVariable?: ((name: string) => boolean) | undefined;
}

const hasOwn = Object.prototype.hasOwnProperty;

/**
 * Turns a checked expression into closures. They hold the exact meaning: every error with its place, errors absorbed
 * by `&&` and `||`, every step counted.
 */
export class Compiler {
  readonly options: CompilerOptions;
  /** How many variables of macros a frame holds. */
  slots = 0;
  /** Whether everything compiled so far reads no variable and calls nothing that varies. */
  constant = true;
  /** Whether it calls a function whose value comes later. */
  waits = false;

  constructor(options: CompilerOptions) {
    this.options = options;
  }

  compile(node: Expression, scope: Scope = Scope.empty): Code {
    switch (node.kind) {
      case 'literal':
        return constantCode(node.value);
      case 'identifier':
        return this.#identifier(node, scope);
      case 'select': {
        const type = this.#typeNamed(node, scope);
        if (type) return constantCode(type);
        const operand = this.compile(node.operand, scope).run;
        const { field } = node;
        if (node.optional)
          return { run: (variables, frame) => at2(node, optionalAt, operand(variables, frame), field) };
        return { run: selection(node, operand, field) };
      }
      case 'index': {
        const operand = this.compile(node.operand, scope).run;
        const index = this.compile(node.index, scope).run;
        const access = node.optional ? optionalAt : elementAt;
        return { run: (variables, frame) => at2(node, access, operand(variables, frame), index(variables, frame)) };
      }
      case 'call':
        return this.#call(node, scope);
      case 'list':
        return this.#list(node, scope);
      case 'map':
        return this.#map(node, scope);
      case 'unary':
        return node.operator === '!' ? compileNot(this, node, scope) : compileNegation(this, node, scope);
      case 'binary':
        if (node.operator === '??') return this.#fallback(node.left, node.right, scope);
        return node.operator === '&&' || node.operator === '||'
          ? compileLogical(this, node, scope)
          : compileOperator(this, node, node.operator, scope);
      case 'conditional':
        return compileConditional(this, node, scope);
      case 'message':
      case 'missing':
        return { run: () => failAt(node, 'invalid-argument', 'this part of the expression cannot be evaluated') };
    }
  }

  /** A new place in the frame for a variable of a macro. */
  declare(name: string, scope: Scope): { readonly slot: number; readonly scope: Scope } {
    const slot = this.slots++;
    return { slot, scope: scope.with(name, slot) };
  }

  #identifier(node: IdentifierExpression, scope: Scope): Code {
    const { name } = node;
    const slot = node.absolute ? undefined : scope.slotOf(name);
    if (slot !== undefined) return { run: (_, frame) => frame.locals[slot] };
    const type = typeValues.get(name);
    if (!type || !this.options.isVariable || this.options.isVariable(name)) this.constant = false;
    if (type && !this.options.isVariable?.(name)) {
      if (this.options.isVariable) return constantCode(type);
      const variable = variableReader(name);
      return { run: (variables, frame) => variable(variables, frame) ?? type };
    }
    const variable = variableReader(name);
    return {
      run: (variables, frame) => {
        const value = variable(variables, frame);
        return value === undefined ? failAt(node, 'no-such-key', `there is no variable ${name}`) : value;
      },
    };
  }

  /** `google.protobuf.Timestamp` and its like, which look like fields of variables. */
  #typeNamed(node: Expression, scope: Scope): unknown {
    const path = dottedName(node);
    const root = path?.slice(0, path.indexOf('.'));
    if (path === undefined || root === undefined || scope.slotOf(root) !== undefined) return undefined;
    return this.options.isVariable?.(root) ? undefined : typeValues.get(path);
  }

  #call(node: CallExpression, scope: Scope): Code {
    const macro = macroOf(node, this.options.dialect);
    if (macro?.kind === 'problem') return { run: () => failAt(node, 'invalid-argument', macro.message) };
    return macro ? this.#macro(macro, node, scope) : compileCall(this, node, scope);
  }

  #macro(macro: Macro, node: CallExpression, scope: Scope): Code {
    switch (macro.kind) {
      case 'has': {
        const operand = this.compile(macro.select.operand, scope).run;
        const { field } = macro.select;
        return { run: (variables, frame) => at1(node, (value) => has(value, field), operand(variables, frame)) };
      }
      case 'default':
        return this.#fallback(macro.value, macro.alternative, scope);
      case 'bind': {
        const value = this.compile(macro.value, scope).run;
        const { slot, scope: inner } = this.declare(macro.variable, scope);
        const body = this.compile(macro.body, inner).run;
        return {
          run: (variables, frame) => {
            frame.locals[slot] = value(variables, frame);
            return body(variables, frame);
          },
        };
      }
      case 'optional-map': {
        const operand = this.compile(macro.operand, scope).run;
        const { slot, scope: inner } = this.declare(macro.variable, scope);
        const body = this.compile(macro.body, inner).run;
        return {
          run: (variables, frame) => {
            const { present, value } = at1(node, optionalOf, operand(variables, frame)) as CelOptional;
            if (!present) return CelOptional.none;
            frame.locals[slot] = value;
            const result = body(variables, frame);
            return macro.flat ? at1(macro.body, optionalOf, result) : CelOptional.of(result);
          },
        };
      }
      case 'optional-or': {
        const operand = this.compile(macro.operand, scope).run;
        const alternative = this.compile(macro.alternative, scope).run;
        return {
          run: (variables, frame) => {
            const optional = at1(node, optionalOf, operand(variables, frame)) as CelOptional;
            if (optional.present) return macro.unwrap ? optional.value : optional;
            const other = alternative(variables, frame);
            return macro.unwrap ? other : at1(macro.alternative, optionalOf, other);
          },
        };
      }
      case 'comprehension':
        return { run: compileComprehension(this, macro, node, scope) };
    }
  }

  /** `left ?? right`: paths of the left side tolerate absence, without an exception on the way. */
  #fallback(left: Expression, right: Expression, scope: Scope): Code {
    const value = this.tolerant(left, scope);
    const alternative = this.compile(right, scope).run;
    return {
      run: (variables, frame) => {
        let found = value(variables, frame);
        if (found instanceof CelOptional) found = found.value;
        return isBlank(found) ? alternative(variables, frame) : found;
      },
    };
  }

  /** The value of a path, undefined where it is absent at whatever level. Other expressions fail as they do. */
  tolerant(node: Expression, scope: Scope): Evaluate {
    if (node.kind === 'identifier') {
      const slot = node.absolute ? undefined : scope.slotOf(node.name);
      if (slot !== undefined) return (_, frame) => frame.locals[slot];
      this.constant = false;
      return variableReader(node.name);
    }
    if (node.kind === 'select') {
      const operand = this.tolerant(node.operand, scope);
      const { field } = node;
      return (variables, frame) => peek(operand(variables, frame), field);
    }
    if (node.kind === 'index') {
      const operand = this.tolerant(node.operand, scope);
      const index = this.compile(node.index, scope).run;
      return (variables, frame) => peek(operand(variables, frame), index(variables, frame));
    }
    return this.compile(node, scope).run;
  }

  #list(node: ListExpression, scope: Scope): Code {
    const codes = node.elements.map(({ value }) => this.compile(value, scope));
    const elements = codes.map(({ run }) => run);
    const length = elements.length;
    if (node.elements.some(({ optional }) => optional)) {
      return {
        run: (variables, frame) => {
          const list: unknown[] = [];
          for (let at = 0; at < length; at++) {
            const value = (elements[at] as Evaluate)(variables, frame);
            if (!node.elements[at]?.optional) list.push(value);
            else {
              const optional = at1(node, optionalOf, value) as CelOptional;
              if (optional.present) list.push(optional.value);
            }
          }
          return list;
        },
      };
    }
    const run: Evaluate = (variables, frame) => {
      const list = new Array<unknown>(length);
      for (let at = 0; at < length; at++) list[at] = (elements[at] as Evaluate)(variables, frame);
      return list;
    };
    if (!codes.every(({ constant }) => constant)) return { run };
    return constantCode(
      codes.map(({ constant }) => constant?.value),
      run,
    );
  }

  #map(node: MapExpression, scope: Scope): Code {
    const codes = node.entries.map(({ key }) => this.compile(key, scope));
    const values = node.entries.map(({ value }) => this.compile(value, scope).run);
    const names = codes.map(({ constant }) => constant?.value);
    const plain =
      names.every((name) => typeof name === 'string') &&
      new Set(names).size === names.length &&
      !node.entries.some(({ optional }) => optional);
    if (plain) return { run: fieldsMaker(names as string[], values) };
    const keys = codes.map(({ run }) => run);
    return {
      run: (variables, frame) => {
        const map = new MapBuilder();
        for (const [at, { key: keyNode, optional }] of node.entries.entries()) {
          const key = (keys[at] as Evaluate)(variables, frame);
          let value = (values[at] as Evaluate)(variables, frame);
          if (optional) {
            const given = at1(node, optionalOf, value) as CelOptional;
            if (!given.present) continue;
            value = given.value;
          }
          const isNew = at2(keyNode, (k, v) => map.add(k, v), key, value);
          if (!isNew) failAt(keyNode, 'invalid-argument', `the key ${String(key)} is there twice`);
        }
        return map.build();
      },
    };
  }
}

/** Variables may be inherited, but never from the prototype that every object has. */
function variableReader(name: string): Evaluate {
  if (name in Object.prototype) return (variables) => (hasOwn.call(variables, name) ? variables[name] : undefined);
  return (variables) => variables[name];
}

function selection(node: Expression, operand: Evaluate, field: string): Evaluate {
  return (variables, frame) => {
    const map = operand(variables, frame) as Variables;
    // The common case first: an own property that is there.
    if (typeof map === 'object' && map !== null && (map.constructor === Object || map.constructor === undefined)) {
      const value = map[field];
      if (value !== undefined && hasOwn.call(map, field)) return value;
    }
    return at2(node, select as (map: unknown, key: unknown) => unknown, map, field);
  };
}

function fieldsMaker(names: readonly string[], values: readonly Evaluate[]): Evaluate {
  const count = names.length;
  return (variables, frame) => {
    const fields = new Fields();
    for (let at = 0; at < count; at++) fields[names[at] as string] = (values[at] as Evaluate)(variables, frame);
    return fields;
  };
}

type Variables = Readonly<Record<string, unknown>>;
