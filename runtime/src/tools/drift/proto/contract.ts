import { posix } from 'node:path';
import type protobuf from 'protobufjs';
import { type ReadSchema, readSchema } from '../../../platform/formats/protobuf/schema/read.ts';
import type { ContractFile } from '../check.ts';
import { declarationsIn } from './declarations.ts';

/** Files that a contract may consist of, and characters in all of them. */
const mostFiles = 100;
const mostCharacters = 4_000_000;
/** Fields of one message, or values of one enum: the library takes the square of their number. */
const mostMembers = 2_000;

/** The definitions of a contract, or why they cannot be compared. */
export type ProtoContract = {
  /** The texts of its files by their paths in the folder that is read. */
  readonly texts: ReadonlyMap<string, string>;
} & (
  | { readonly root: protobuf.Root; readonly problem?: undefined }
  | { readonly root?: undefined; readonly problem: ProtoProblem }
);

interface ProtoProblem {
  readonly message: string;
  /** The path of a file, and an offset in it. */
  readonly file: string;
  readonly start: number;
}

/**
 * Reads a contract with the files beside it that it imports. An import is a path from the folder of the contract on, else from
 * one of the folders around that: no file says where protoc begins.
 */
export function readProtoContract(file: ContractFile): ProtoContract {
  const files = new ContractFiles(file);
  const { texts } = files;
  const refused = (message: string, name = file.path, start = 0): ProtoContract => ({
    texts,
    problem: { message, file: files.pathOf(name), start },
  });
  let definitions: ReadSchema;
  try {
    definitions = readSchema({ proto_files: [file.path] }, files);
  } catch (error) {
    if (error instanceof RangeError) return refused(tooDeep);
    throw error;
  }
  const [first] = definitions.problems;
  if (files.beyond !== undefined) return refused(files.beyond);
  if (first === undefined) return { root: definitions.root, texts };
  // The place says the line.
  const message = first.message
    .replace(/^line \d+: /, '')
    .replace('is imported, and is not below proto_path', 'is imported, and is not beside it')
    .replace('is outside of proto_path', 'is imported, and is outside of its folder')
    .replace(/Maximum call stack size exceeded|max depth exceeded/, tooDeep);
  return refused(message, first.file, first.start);
}

const tooDeep = 'it has too many levels';

class ContractFiles {
  /** Texts by the paths at which they were found. */
  readonly texts = new Map<string, string>();
  /** Why no more is read. */
  beyond: string | undefined;
  readonly #file: ContractFile;
  /** Where files were found, by what they are imported as. */
  readonly #found = new Map<string, string>();
  readonly #folders: readonly string[];
  #characters = 0;

  constructor(file: ContractFile) {
    this.#file = file;
    const folders = [posix.dirname(file.path)];
    while (folders.at(-1) !== '.') folders.push(posix.dirname(folders.at(-1) as string));
    this.#folders = folders;
  }

  /** A file that was read by another name, such as one that imports itself in a circle, has nothing more to say. */
  read(name: string): string {
    if (this.beyond !== undefined) throw new Error(this.beyond);
    const [path, text] = name === this.#file.path ? [name, this.#file.text] : this.#beside(name);
    this.#found.set(name, path);
    if (this.texts.has(path)) return '';
    this.#characters += text.length;
    if (this.texts.size >= mostFiles) this.beyond = `it imports more than ${mostFiles} files`;
    else if (this.#characters > mostCharacters)
      this.beyond = `it and what it imports are longer than ${mostCharacters} characters`;
    else if (declarationsIn(text, '').mostMembers > mostMembers)
      this.beyond = `it has a message or an enum of more than ${mostMembers} fields or values`;
    if (this.beyond !== undefined) throw new Error(this.beyond);
    this.texts.set(path, text);
    return text;
  }

  list(): readonly string[] {
    return [];
  }

  /** Where a file was found that is imported as `name`. */
  pathOf(name: string): string {
    return this.#found.get(name) ?? name;
  }

  #beside(name: string): readonly [path: string, text: string] {
    for (const folder of this.#folders) {
      const path = posix.join(folder, name);
      const known = path === this.#file.path ? this.#file.text : this.texts.get(path);
      if (known !== undefined) return [path, known];
      try {
        return [path, this.#file.read(path)];
      } catch {
        // It may be in a folder around this one.
      }
    }
    throw new Error(`"${name}" is not there`);
  }
}
