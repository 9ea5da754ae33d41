import type { Frame, Variables } from './compile/code.ts';
import { located } from './compile/code.ts';
import { Compiler } from './compile/compiler.ts';
import type { CelEngine, CelProblem, CelProgram, Compiled, CompileOptions, EngineOptions } from './engine.ts';
import { FunctionTable } from './function-table.ts';
import { parseTolerant } from './parser.ts';
import { referencesOf } from './references.ts';
import { dyn } from './types.ts';

const defaultCostLimit = 1_000_000;

export function createCelEngine(options: EngineOptions): CelEngine {
  const dialect = options.dialect ?? 'product';
  const costLimit = options.costLimit ?? defaultCostLimit;
  const functions = new FunctionTable({ environment: options.environment, costLimit }, dialect);
  let parseCount = 0;
  return {
    get parseCount() {
      return parseCount;
    },
    compile(source: string, compileOptions: CompileOptions = {}): Compiled {
      parseCount++;
      const { expression, problems } = parseTolerant(source, dialect);
      const errors = problems.filter(({ severity }) => severity === 'error');
      if (errors.length > 0) return { ok: false, problems };
      const variables = compileOptions.variables && new Set(compileOptions.variables.map(({ name }) => name));
      const compiler = new Compiler({ dialect, functions, isVariable: variables && ((name) => variables.has(name)) });
      const { run } = compiler.compile(expression);
      const slots = compiler.slots;
      const program: CelProgram = {
        source,
        type: dyn,
        references: referencesOf(expression, { dialect, isFunction: (name) => functions.signatures(name, 'call').length > 0 }),
        evaluate(activation) {
          const frame: Frame = { locals: new Array(slots), budget: costLimit };
          try {
            return run(activation as Variables, frame);
          } catch (error) {
            throw located(error, expression);
          }
        },
      };
      return { ok: true, program, warnings: problems as CelProblem[] };
    },
  };
}
