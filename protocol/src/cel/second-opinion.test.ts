import { Environment } from '@marcbachmann/cel-js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CompilerOptions } from './compile/compiler.ts';
import { createCelEngine } from './create-engine.ts';
import { FunctionTable } from './function-table.ts';
import { generateSource, parameterNames } from './generate/index.ts';
import { parseTolerant } from './parser.ts';
import { conformanceCases, written } from './testing/conformance.ts';
import { testEnvironment } from './testing/environment.ts';

const other = new Environment({
  unlistedVariablesAreDyn: true,
  enableOptionalTypes: true,
  homogeneousAggregateLiterals: false,
});
const activation = { i: 3n, j: -2n, d: 2.5, e: 4, s: 'abc', t: '', b: true, l: [1n, 2n, 3n], m: { a: 1n, b: 'x' } };

interface Nodes {
  readonly int: string;
  readonly double: string;
  readonly text: string;
  readonly bool: string;
  readonly list: string;
}

/** Expressions that mean something; the other engine's known differences from the standard are left out. */
const expressions = fc.letrec<Nodes>((tie) => {
  const oneOf = (...choices: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
    fc.oneof({ depthSize: 'small' }, ...choices);
  const binary = (type: keyof Nodes, ...operators: readonly string[]): fc.Arbitrary<string> =>
    fc
      .tuple(tie(type), fc.constantFrom(...operators), tie(type))
      .map(([left, operator, right]) => `(${left} ${operator} ${right})`);
  return {
    int: oneOf(
      fc.constantFrom('i', 'j', '0', '1', '7', '-5', 'm.a', 'l[0]', 'l[5]'),
      binary('int', '+', '-', '*', '/', '%'),
      fc.tuple(tie('bool'), tie('int'), tie('int')).map(([c, a, b]) => `(${c} ? ${a} : ${b})`),
      tie('list').map((list) => `size(${list})`),
      tie('text').map((text) => `${text}.size()`),
      tie('int').map((value) => `-(${value})`),
    ),
    double: oneOf(fc.constantFrom('d', 'e', '0.5', '-1.25', '2.0'), binary('double', '+', '-', '*')),
    text: oneOf(
      fc.constantFrom('s', 't', "'ä'", '"b"', 'm.b', 'm.c'),
      binary('text', '+'),
      tie('int').map((value) => `string(${value})`),
    ),
    bool: oneOf(
      fc.constantFrom('b', 'true', 'false', 'has(m.a)', 'has(m.z)', "'a' in m", 'nothing.at.all'),
      binary('int', '==', '!=', '<', '<=', '>', '>='),
      binary('double', '<', '>='),
      binary('text', '==', '<', '>'),
      binary('bool', '&&', '||'),
      tie('bool').map((value) => `!(${value})`),
      fc.tuple(tie('int'), tie('list')).map(([value, list]) => `(${value} in ${list})`),
      fc
        .tuple(tie('list'), fc.constantFrom('all', 'exists', 'exists_one'), tie('int'))
        .map(([list, macro, value]) => `${list}.${macro}(x, x > ${value})`),
      fc
        .tuple(tie('text'), fc.constantFrom('startsWith', 'endsWith', 'contains'), tie('text'))
        .map(([a, method, b]) => `${a}.${method}(${b})`),
    ),
    list: oneOf(
      fc.constantFrom('l', '[]', '[1, 2]'),
      fc.array(tie('int'), { maxLength: 3 }).map((elements) => `[${elements.join(', ')}]`),
      binary('list', '+'),
      fc.tuple(tie('list'), tie('int')).map(([list, value]) => `${list}.map(x, x + ${value})`),
      fc.tuple(tie('list'), tie('int')).map(([list, value]) => `${list}.filter(x, x != ${value})`),
    ),
  };
});

function answer(work: () => unknown): string {
  try {
    return written(work());
  } catch {
    return 'error';
  }
}

/** What the other engine says; undefined where its own checks, which are narrower than the standard's, refuse the expression. */
function opinion(source: string): string | undefined {
  try {
    return written(other.evaluate(source, activation));
  } catch (error) {
    return (error as Error).name === 'EvaluationError' ? 'error' : undefined;
  }
}

describe('a second opinion', () => {
  const strict = createCelEngine({ environment: testEnvironment, dialect: 'strict' });
  const any = fc.oneof(expressions.int, expressions.double, expressions.text, expressions.bool, expressions.list);

  test('another engine gives the same values and fails where this one fails', () => {
    let opinions = 0;
    fc.assert(
      fc.property(any, (source) => {
        const compiled = strict.compile(source, { check: false });
        if (!compiled.ok) throw new Error(`${source}: ${compiled.problems[0]?.message}`);
        const ours = answer(() => compiled.program.evaluate(activation));
        const theirs = opinion(source);
        if (theirs === undefined) return;
        opinions++;
        expect([source, ours]).toEqual([source, theirs]);
      }),
      { numRuns: 3000, seed: 11 },
    );
    expect(opinions).toBeGreaterThan(2000);
  });

  test('closures and generated code give the same values and errors', () => {
    fc.assert(
      fc.property(any, (source) => {
        const compiled = strict.compile(source, { check: false });
        if (!compiled.ok) throw new Error(`${source}: ${compiled.problems[0]?.message}`);
        const { program } = compiled;
        const cold = answer(() => program.evaluate(activation));
        for (let count = 0; count < 110; count++) answer(() => program.evaluate({ ...activation, l: [] }));
        expect(answer(() => program.evaluate(activation))).toBe(cold);
      }),
      { numRuns: 300, seed: 12 },
    );
  });

  test('generated code is always valid JavaScript', () => {
    const options: CompilerOptions = {
      dialect: 'product',
      functions: new FunctionTable({ environment: testEnvironment, costLimit: 9 }, 'product'),
    };
    const sources = [
      ...conformanceCases().map(({ test: one }) => one.expr),
      ...fc.sample(any, { numRuns: 1000, seed: 13 }),
    ];
    const bodies = sources.map((source) => generateSource(parseTolerant(source).expression, options)?.body);
    for (const body of bodies)
      if (body !== undefined) new Function(...parameterNames, `return function (v) { ${body} }`);
    expect(bodies.filter((body) => body !== undefined).length).toBeGreaterThan(1500);
  });

  test('generated code passes the public suite too', () => {
    for (const { test: one, name } of conformanceCases()) {
      const compiled = strict.compile(one.expr, { check: false });
      if (!compiled.ok || Object.keys(one.bindings).length > 0) continue;
      const cold = answer(() => compiled.program.evaluate({}));
      for (let count = 0; count < 110; count++) answer(() => compiled.program.evaluate({}));
      expect([name, answer(() => compiled.program.evaluate({}))]).toEqual([name, cold]);
    }
  });
});
