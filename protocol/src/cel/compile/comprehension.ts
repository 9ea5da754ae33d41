import type { CallExpression } from '../ast.ts';
import type { Comprehension } from '../macros.ts';
import { sortByKeys } from '../stdlib/lists.ts';
import { isMap, kindOf, withArticle } from '../values/kind.ts';
import { keysOf, lookup, MapBuilder } from '../values/map.ts';
import { at2, type Evaluate, type Frame, failAt, spendAt, type Variables } from './code.ts';
import type { Compiler } from './compiler.ts';
import { isAbsorbable, notBool } from './logic.ts';
import type { Scope } from './scope.ts';

/**
 * The loop of a comprehension: sets its variables for each element and asks `visit`, which ends it by returning true. Keys are
 * given to loops of two variables. */
type Loop = (variables: Variables, frame: Frame, visit: (element: unknown, key: unknown) => boolean) => void;

export function compileComprehension(
  compiler: Compiler,
  macro: Comprehension,
  node: CallExpression,
  scope: Scope,
): Evaluate {
  const range = compiler.compile(macro.range, scope).run;
  const [firstName, secondName] = macro.variables;
  const first = compiler.declare(firstName, scope);
  const second = secondName === undefined ? undefined : compiler.declare(secondName, first.scope);
  const inner = second?.scope ?? first.scope;
  const filter = macro.filter && test(compiler, macro.filter, macro.name, inner);
  const loop = loopOver(node, macro, range, first.slot, second?.slot, filter);

  switch (macro.name) {
    case 'all':
    case 'exists':
      return quantifier(loop, test(compiler, macro.body, macro.name, inner), macro.name === 'exists');
    case 'exists_one': {
      const condition = test(compiler, macro.body, macro.name, inner);
      return (variables, frame) => {
        let count = 0;
        loop(variables, frame, () => {
          if (condition(variables, frame)) count++;
          return false;
        });
        return count === 1;
      };
    }
    case 'filter': {
      const condition = test(compiler, macro.body, macro.name, inner);
      return (variables, frame) => {
        const kept: unknown[] = [];
        loop(variables, frame, (element) => {
          if (condition(variables, frame)) kept.push(element);
          return false;
        });
        return kept;
      };
    }
    case 'map':
    case 'transformList': {
      const body = compiler.compile(macro.body, inner).run;
      return (variables, frame) => {
        const results: unknown[] = [];
        loop(variables, frame, () => {
          results.push(body(variables, frame));
          return false;
        });
        return results;
      };
    }
    case 'sortBy': {
      const key = compiler.compile(macro.body, inner).run;
      return (variables, frame) => {
        const elements: unknown[] = [];
        const keys: unknown[] = [];
        loop(variables, frame, (element) => {
          elements.push(element);
          keys.push(key(variables, frame));
          return false;
        });
        return at2(node, sortByKeys as (list: unknown, keys: unknown) => unknown, elements, keys);
      };
    }
    case 'transformMap':
    case 'transformMapEntry':
      return mapping(macro, node, loop, compiler.compile(macro.body, inner).run);
  }
}

function test(
  compiler: Compiler,
  node: Comprehension['body'],
  name: string,
  scope: Scope,
): (variables: Variables, frame: Frame) => boolean {
  const condition = compiler.compile(node, scope).run;
  return (variables, frame) => {
    const value = condition(variables, frame);
    return typeof value === 'boolean' ? value : notBool(node, value, `${name}()`);
  };
}

function loopOver(
  node: CallExpression,
  macro: Comprehension,
  range: Evaluate,
  first: number,
  second: number | undefined,
  filter: ((variables: Variables, frame: Frame) => boolean) | undefined,
): Loop {
  return (variables, frame, visit) => {
    const container = range(variables, frame);
    const { locals } = frame;
    const isList = Array.isArray(container);
    if (!isList && !isMap(container))
      failAt(
        macro.range,
        'no-such-overload',
        `${macro.name}() needs a list or map, this is ${withArticle(kindOf(container))}`,
      );
    const elements = isList ? container : keysOf(container);
    for (let at = 0; at < elements.length; at++) {
      spendAt(node, 1);
      const element = elements[at] ?? null;
      let key: unknown;
      if (second === undefined) locals[first] = element;
      else {
        key = isList ? BigInt(at) : element;
        locals[first] = key;
        locals[second] = isList ? element : lookup(container, element);
      }
      if (filter && !filter(variables, frame)) continue;
      if (visit(element, key)) return;
    }
  };
}

/** `all` and `exists`: an element that decides outweighs errors of others. */
function quantifier(
  loop: Loop,
  condition: (variables: Variables, frame: Frame) => boolean,
  deciding: boolean,
): Evaluate {
  return (variables, frame) => {
    let failure: unknown;
    let decided = false;
    loop(variables, frame, () => {
      try {
        decided = condition(variables, frame) === deciding;
      } catch (error) {
        if (!isAbsorbable(error)) throw error;
        failure ??= error;
      }
      return decided;
    });
    if (!decided && failure !== undefined) throw failure;
    return decided === deciding;
  };
}

function mapping(macro: Comprehension, node: CallExpression, loop: Loop, body: Evaluate): Evaluate {
  return (variables, frame) => {
    const result = new MapBuilder();
    const add = (key: unknown, value: unknown): void => {
      if (!result.add(key, value)) failAt(node, 'invalid-argument', `the key ${String(key)} is there twice`);
    };
    loop(variables, frame, (_, key) => {
      const value = body(variables, frame);
      if (macro.name === 'transformMap') add(key, value);
      else if (isMap(value)) for (const entry of keysOf(value)) add(entry, lookup(value, entry));
      else
        failAt(
          macro.body,
          'no-such-overload',
          `transformMapEntry() needs a map, this is ${withArticle(kindOf(value))}`,
        );
      return false;
    });
    return result.build();
  };
}
