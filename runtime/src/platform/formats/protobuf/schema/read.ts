import protobuf from 'protobufjs';
import type { DefinitionFile } from '../describe.ts';
import { insidePath } from './proto-path.ts';

/** How files of a project are read: both by paths from its directory on, and throw an Error that says why they cannot. */
export interface ProjectFiles {
  /** The text of a file. */
  read(path: string): string;
  /** The `.proto` files of a folder and of those below it. */
  list(folder: string): readonly string[];
}

/** Where the definitions of a connector are written. */
export interface ProtoPlace {
  readonly proto_path?: string | undefined;
  readonly proto_files?: readonly string[] | undefined;
}

/**
 * Whether a client learns what there is from its server: where that is written, or where nothing is written and there is no
 * file. `list` is that of the files of its project.
 */
export function asksServer(
  { proto_path, proto_files, reflection }: ProtoPlace & { readonly reflection?: boolean | undefined },
  list: ProjectFiles['list'],
): boolean {
  if (reflection !== undefined || proto_path !== undefined || proto_files !== undefined) return reflection === true;
  try {
    return list('').length === 0;
  } catch {
    return false;
  }
}

/** Something wrong with a file, with its place where that is known. */
export interface SchemaProblem {
  readonly code: string;
  readonly message: string;
  /** Undefined: it is about the block. */
  readonly file: string | undefined;
  /** Offsets in its text. */
  readonly start: number;
  readonly end: number;
  readonly help?: string | undefined;
}

/** What files define. */
export interface Definitions {
  readonly root: protobuf.Root;
  /** By the names that they are imported by. */
  readonly files: ReadonlyMap<string, DefinitionFile>;
  /** The name of the file that defines something at its top. */
  fileOf(defined: protobuf.ReflectionObject): string;
}

/** What the files say. */
export interface ReadSchema extends Definitions {
  /** The schema can be used when this is empty. */
  readonly problems: readonly SchemaProblem[];
  /** Texts by paths, of those that were read. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Definitions carry the name that is written here while they are parsed. */
const parser = protobuf.parse as typeof protobuf.parse & { filename: string | null };

/** Files of one connector, imported ones included. */
const mostFiles = 1_000;

/** Reads the definitions of a connector and everything that they import, which is looked for below `proto_path` alone. */
export function readSchema({ proto_path = '', proto_files }: ProtoPlace, files: ProjectFiles): ReadSchema {
  const reading = new SchemaReading(proto_path, files);
  reading.run(proto_files);
  return reading;
}

class SchemaReading implements ReadSchema {
  readonly root = new protobuf.Root();
  readonly problems: SchemaProblem[] = [];
  readonly texts = new Map<string, string>();
  readonly files = new Map<string, DefinitionFile>();
  /** Google's own definitions, whose files they do not name. */
  readonly #common = new Map<string, string>();
  readonly #folder: string;
  readonly #files: ProjectFiles;
  readonly #seen = new Set<string>();

  constructor(folder: string, files: ProjectFiles) {
    this.#folder = folder;
    this.#files = files;
  }

  run(written: readonly string[] | undefined): void {
    const folder = insidePath(this.#folder);
    if (folder === undefined) {
      this.#tell('outside-directory', `proto_path "${this.#folder}" is outside the directory of the configuration`);
      return;
    }
    try {
      const names =
        written ?? this.#files.list(folder).map((path) => path.slice(folder === '' ? 0 : folder.length + 1));
      if (names.length === 0) this.#tell('missing-schema', `"${this.#folder || '.'}" holds no .proto file`);
      for (const name of names) this.#add(name, undefined);
    } catch (error) {
      this.#tell('unreadable-schema', `the .proto files cannot be read: ${textOf(error)}`);
    }
    if (this.problems.length > 0) return;
    try {
      this.root.resolveAll();
    } catch (error) {
      const [type = ''] = /(?<=')[^']+(?=')|(?<=: )\S+$/.exec(textOf(error)) ?? [];
      const [file, at] = this.#placeOf(type);
      this.#tell('malformed-schema', `the definitions do not fit together: ${textOf(error)}`, file, at, type.length);
    }
  }

  fileOf({ filename, fullName }: protobuf.ReflectionObject): string {
    return filename ?? this.#common.get(fullName) ?? '';
  }

  /** `by` is the file that imports it, and where. */
  #add(name: string, by: readonly [file: string, at: number] | undefined): void {
    if (this.#seen.has(name) || this.#seen.size >= mostFiles) return;
    this.#seen.add(name);
    const path = insidePath(this.#folder, name);
    if (path === undefined) {
      this.#tell('outside-directory', `"${name}" is outside of proto_path`, by?.[0], by?.[1], name.length);
      return;
    }
    let text: string;
    try {
      text = this.#files.read(path);
    } catch (error) {
      if (by === undefined) this.#tell('unreadable-schema', textOf(error));
      else if (!this.#addCommon(name))
        this.#tell('missing-import', `"${name}" is imported, and is not below proto_path`, by[0], by[1], name.length);
      return;
    }
    this.texts.set(path, text);
    this.#parse(text, name, path);
  }

  #parse(text: string, name: string, path: string): void {
    try {
      parser.filename = name;
      const read = protobuf.parse(text, this.root, { keepCase: true });
      const imports = [...(read.imports ?? []), ...(read.weakImports ?? [])];
      const syntax = /^\s*syntax\s*=\s*["']proto3["']/m.test(text) ? 'proto3' : 'proto2';
      const open = new Set([...text.matchAll(/import\s+public\s+["']([^"'\n]+)["']/g)].map(([, each]) => each));
      const shared = imports.filter((each) => open.has(each));
      this.files.set(name, { name, package: read.package ?? '', imports, shared, syntax });
      for (const name of imports)
        if (!this.#seen.has(name)) this.#add(name, [path, Math.max(0, text.indexOf(`"${name}"`) + 1)]);
    } catch (error) {
      parser.filename = null;
      // The parser reads a name that is not there any more.
      if (error instanceof TypeError) {
        const end = Math.max(0, text.trimEnd().length - 1);
        this.#tell(
          'malformed-schema',
          `line ${text.slice(0, end).split('\n').length}: the file ends too early`,
          path,
          end,
        );
        return;
      }
      const [, says = textOf(error), line = '1'] = /^(.*?) ?\((?:.*?, )?line (\d+)\)$/s.exec(textOf(error)) ?? [];
      const start = startOfLine(text, Number(line));
      const end = Math.max(start + 1, endOfLine(text, start));
      this.#tell('malformed-schema', `line ${line}: ${says}`, path, start, end - start);
    }
  }

  /** Google's own files, which everybody has. */
  #addCommon(name: string): boolean {
    const known = protobuf.common.get(name);
    if (known?.nested === undefined) return false;
    this.root.addJSON(known.nested);
    const own = (known.nested['google'] as protobuf.INamespace | undefined)?.nested?.['protobuf'];
    for (const each of Object.keys((own as protobuf.INamespace | undefined)?.nested ?? {}))
      this.#common.set(`.google.protobuf.${each}`, name);
    this.files.set(name, { name, package: 'google.protobuf', imports: [], shared: [], syntax: 'proto3' });
    return true;
  }

  #placeOf(type: string): [file: string | undefined, at: number] {
    for (const [path, text] of this.texts) {
      const at = type === '' ? -1 : text.indexOf(type);
      if (at >= 0) return [path, at];
    }
    return [undefined, 0];
  }

  #tell(code: string, message: string, file?: string, start = 0, length = 1): void {
    this.problems.push({ code, message, file, start, end: start + Math.max(1, length) });
  }
}

function startOfLine(text: string, line: number): number {
  let start = 0;
  for (let left = line; left > 1; left--) {
    const next = text.indexOf('\n', start);
    if (next < 0) break;
    start = next + 1;
  }
  return start;
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.length : end;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
