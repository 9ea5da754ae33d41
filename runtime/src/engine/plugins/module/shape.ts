import { ByteReader, ModuleRefused } from './bytes.ts';

export type ValueType = 'i32' | 'i64' | 'f32' | 'f64' | 'other';

export interface FunctionType {
  readonly parameters: readonly ValueType[];
  readonly results: readonly ValueType[];
}

export interface ModuleImport {
  readonly module: string;
  readonly name: string;
  readonly kind: 'function' | 'table' | 'memory' | 'global' | 'tag';
}

/** A section of the binary: where it begins, where its content begins and where that ends. */
export interface Section {
  readonly id: number;
  readonly start: number;
  readonly content: number;
  readonly end: number;
}

/** What the outside must know of a module. */
export interface ModuleShape {
  readonly sections: readonly Section[];
  readonly imports: readonly ModuleImport[];
  /** Exported functions by name. */
  readonly functions: ReadonlyMap<string, FunctionType>;
  /** Names of exported memories. */
  readonly memories: readonly string[];
  /** Flags, first and greatest size of each memory, in pages. */
  readonly limits: readonly Limits[];
  /** Where the memory section is. */
  readonly memorySection: Section | undefined;
}

export interface Limits {
  readonly flags: number;
  readonly least: number;
  readonly most: number | undefined;
}

const magic = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const sectionIds = { type: 1, import: 2, function: 3, memory: 5, export: 7 } as const;
const kinds = ['function', 'table', 'memory', 'global', 'tag'] as const;
const valueTypes: Readonly<Record<number, ValueType>> = { 127: 'i32', 126: 'i64', 125: 'f32', 124: 'f64' };

/**
 * Reads what a module imports and exports, with the signatures of its functions. It checks no more than it reads:
 * whether the module is valid is decided where it is compiled. Throws ModuleRefused.
 */
export function readShape(bytes: Uint8Array): ModuleShape {
  if (magic.some((byte, at) => bytes[at] !== byte)) throw new ModuleRefused('it is not a WebAssembly module');
  const sections = sectionsOf(bytes);
  const reader = (id: number): ByteReader | undefined => {
    const section = sections.find((one) => one.id === id);
    return section && new ByteReader(bytes, section.content, section.end);
  };
  const types = typesOf(reader(sectionIds.type));
  const { imports, functions: imported } = importsOf(reader(sectionIds.import));
  const own = all(reader(sectionIds.function), (from) => from.number());
  const functionTypes = [...imported, ...own].map((type) => types[type]);
  const exported = all(reader(sectionIds.export), (from) => ({
    name: from.text(),
    kind: kinds[from.byte()],
    index: from.number(),
  }));
  return {
    sections,
    imports,
    functions: new Map(
      exported.flatMap(({ name, kind, index }) => {
        const type = kind === 'function' ? functionTypes[index] : undefined;
        return type === undefined ? [] : [[name, type] as const];
      }),
    ),
    memories: exported.filter(({ kind }) => kind === 'memory').map(({ name }) => name),
    limits: all(reader(sectionIds.memory), limitsOf),
    memorySection: sections.find(({ id }) => id === sectionIds.memory),
  };
}

function sectionsOf(bytes: Uint8Array): readonly Section[] {
  const from = new ByteReader(bytes, magic.length);
  const sections: Section[] = [];
  while (!from.isAtEnd) {
    const start = from.at;
    const id = from.byte();
    const { at: content, end } = from.part(from.number());
    sections.push({ id, start, content, end });
  }
  return sections;
}

/** A vector of the format: its length, then its elements. */
function all<T>(from: ByteReader | undefined, read: (from: ByteReader) => T): T[] {
  const found: T[] = [];
  if (from === undefined) return found;
  for (let left = from.number(); left > 0; left--) found.push(read(from));
  return found;
}

/** Function types by index; types of other kinds make the section unreadable, and their functions unknown. */
function typesOf(from: ByteReader | undefined): readonly FunctionType[] {
  const valueType = (each: ByteReader) => {
    const byte = each.byte();
    const known = valueTypes[byte];
    if (known !== undefined) return known;
    // A reference with a heap type behind it.
    if (byte === 0x63 || byte === 0x64) each.number();
    return 'other';
  };
  return all(from, (each) => {
    if (each.byte() !== 0x60) throw new ModuleRefused('it has types of garbage collection, which plugins cannot have');
    return { parameters: all(each, valueType), results: all(each, valueType) };
  });
}

function importsOf(from: ByteReader | undefined): { imports: ModuleImport[]; functions: number[] } {
  const functions: number[] = [];
  const imports = all(from, (each): ModuleImport => {
    const module = each.text();
    const name = each.text();
    const kind = kinds[each.byte()];
    if (kind === 'function') functions.push(each.number());
    else if (kind === 'table') {
      each.byte();
      limitsOf(each);
    } else if (kind === 'memory') limitsOf(each);
    else if (kind === 'global' || kind === 'tag') {
      each.byte();
      each.byte();
    } else throw new ModuleRefused('it imports something of an unknown kind');
    return { module, name, kind };
  });
  return { imports, functions };
}

function limitsOf(from: ByteReader): Limits {
  const flags = from.number();
  // Of 64 bit sizes a plugin could say more than a number holds; such a memory is refused by its flag.
  const least = from.number();
  return { flags, least, most: (flags & 1) === 1 ? from.number() : undefined };
}
