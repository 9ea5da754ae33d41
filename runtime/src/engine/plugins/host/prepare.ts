/// <reference path="../module/webassembly.d.ts" />
import { createHash } from 'node:crypto';
import { ModuleRefused } from '../module/bytes.ts';
import {
  type Abi,
  type Convention,
  conventionOf,
  type EntryKind,
  type MemoryFunctions,
  memoryFunctionsOf,
} from '../module/entries.ts';
import { withMemoryLimit } from '../module/memory-limit.ts';
import { readShape } from '../module/shape.ts';

/** A module that may be started: what it asks for is given to plugins, and its memory is limited. */
export interface PreparedModule {
  readonly compiled: WebAssembly.Module;
  readonly functions: MemoryFunctions;
  /** SHA-256 of the file, in hexadecimal. */
  readonly hash: string;
  /** Throws ModuleRefused for a function that it does not have in such a form. */
  convention(entry: string, kind: EntryKind): Convention;
  /** Whether it exports a function of this name. */
  has(entry: string): boolean;
}

/** Reads and compiles the bytes of a module. Throws ModuleRefused, whose message says what is wrong with it. */
export async function prepareModule(bytes: Uint8Array, abi: Abi, megabytes: number): Promise<PreparedModule> {
  const shape = readShape(bytes);
  const functions = memoryFunctionsOf(shape);
  const limited = withMemoryLimit(bytes, shape, megabytes);
  let compiled: WebAssembly.Module;
  try {
    compiled = await WebAssembly.compile(limited);
  } catch (error) {
    throw new ModuleRefused(error instanceof Error ? error.message : String(error));
  }
  const known = new Map<string, Convention>();
  return {
    compiled,
    functions,
    hash: createHash('sha256').update(bytes).digest('hex'),
    has: (entry) => shape.functions.has(entry),
    convention(entry, kind) {
      const key = `${kind} ${entry}`;
      let convention = known.get(key);
      if (convention === undefined) known.set(key, (convention = conventionOf(shape, entry, kind, abi)));
      return convention;
    },
  };
}
