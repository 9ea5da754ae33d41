import type { abis } from '../../flow/module-spec.ts';
import { ModuleRefused } from './bytes.ts';
import { importProblem } from './imports.ts';
import type { FunctionType, ModuleShape, ValueType } from './shape.ts';

export type Abi = (typeof abis)[number];

/**
 * What an exported function gives: the address of a text in one of the two forms, its address and length packed into one
 * `i64` (the address in the high half), both as two results, or 1 and 0.
 */
export type Convention = Abi | 'packed' | 'pair' | 'flag';

/** What is asked of an entry: JSON, or 1 and 0. */
export type EntryKind = 'json' | 'flag';

/** Exported names of the functions by which a module gives and takes back its memory. */
export interface MemoryFunctions {
  readonly allocate: string;
  readonly free: string | undefined;
}

/** Throws ModuleRefused for an import that plugins are not given, and for a module without what every one has. */
export function memoryFunctionsOf(shape: ModuleShape): MemoryFunctions {
  for (const each of shape.imports) {
    const problem = importProblem(each);
    if (problem !== undefined) throw new ModuleRefused(problem);
  }
  if (!shape.memories.includes('memory')) throw new ModuleRefused('it does not export its memory as "memory"');
  const allocate = ['alloc', 'malloc'].find((name) => shape.functions.has(name));
  if (allocate === undefined) throw new ModuleRefused('it exports neither alloc nor malloc');
  expectType(shape, allocate, ['i32'], ['i32']);
  const free = ['free', 'dealloc'].find((name) => shape.functions.has(name));
  if (free !== undefined) {
    const { parameters, results } = shape.functions.get(free) as FunctionType;
    // The `free` of a C library takes the address alone.
    if (!['i32', 'i32,i32'].includes(parameters.join()) || results.length > 0)
      throw new ModuleRefused(`its export ${free} is ${typeText(parameters, results)}, not (i32, i32) -> ()`);
  }
  return { allocate, free };
}

/** How the result of an entry is read: its signature says it, of a lone `i32` `abi` does. Throws ModuleRefused. */
export function conventionOf(shape: ModuleShape, name: string, kind: EntryKind, abi: Abi): Convention {
  const type = shape.functions.get(name);
  if (type === undefined) {
    const all = [...shape.functions.keys()].slice(0, 20).join(', ');
    throw new ModuleRefused(`it does not export the function "${name}"; it exports ${all === '' ? 'nothing' : all}`);
  }
  const parameters = type.parameters.join();
  const results = type.results.join();
  const wanted = kind === 'flag' ? '(i32, i32) -> i32' : '(i32, i32) -> i32, -> i64 or -> (i32, i32)';
  const wrong = new ModuleRefused(
    `its export ${name} is ${typeText(type.parameters, type.results)}, and should be ${wanted}`,
  );
  if (parameters !== 'i32,i32') throw wrong;
  if (kind === 'flag') {
    if (results !== 'i32') throw wrong;
    return 'flag';
  }
  if (results === 'i32') return abi;
  if (results === 'i64') return 'packed';
  if (results === 'i32,i32') return 'pair';
  throw wrong;
}

function expectType(shape: ModuleShape, name: string, parameters: ValueType[], results: ValueType[]): void {
  const type = shape.functions.get(name) as FunctionType;
  if (type.parameters.join() !== parameters.join() || type.results.join() !== results.join())
    throw new ModuleRefused(
      `its export ${name} is ${typeText(type.parameters, type.results)}, not ${typeText(parameters, results)}`,
    );
}

function typeText(parameters: readonly ValueType[], results: readonly ValueType[]): string {
  return `(${parameters.join(', ')}) -> ${results.length === 1 ? results[0] : `(${results.join(', ')})`}`;
}
