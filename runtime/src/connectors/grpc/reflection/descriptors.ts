import protobuf from 'protobufjs';
import { describeFile } from '../../../platform/formats/protobuf/describe.ts';
import { encodeFile } from '../../../platform/formats/protobuf/descriptor-types.ts';
import type { Definitions } from '../../../platform/formats/protobuf/schema/read.ts';

/** What the files of a server define, as descriptors: they are made when they are first asked for. */
export class Descriptors {
  readonly #definitions: Definitions;
  readonly #objects = new Map<string, protobuf.ReflectionObject[]>();
  readonly #symbols = new Map<string, string>();
  readonly #encoded = new Map<string, Uint8Array>();

  constructor(definitions: Definitions) {
    this.#definitions = definitions;
    this.#index(definitions.root);
  }

  /** A file with all that it needs, each as a descriptor; undefined: it is not known. */
  ofFile(name: string): readonly Uint8Array[] | undefined {
    if (!this.#definitions.files.has(name)) return undefined;
    const names = new Set([name]);
    for (const each of names) for (const needed of this.#definitions.files.get(each)?.imports ?? []) names.add(needed);
    return [...names].flatMap((each) => this.#encode(each) ?? []);
  }

  /** The file that defines a name, such as a service, a method or a field. */
  ofSymbol(symbol: string): readonly Uint8Array[] | undefined {
    // Methods, fields and values are parts of what is indexed.
    const file = this.#symbols.get(symbol) ?? this.#symbols.get(symbol.replace(/\.[^.]*$/, ''));
    return file === undefined ? undefined : this.ofFile(file);
  }

  isMessage(name: string): boolean {
    return this.#definitions.root.lookup(name.split('.'), [protobuf.Type], true) !== null;
  }

  #encode(name: string): Uint8Array | undefined {
    const file = this.#definitions.files.get(name);
    if (file === undefined) return undefined;
    let bytes = this.#encoded.get(name);
    if (bytes === undefined)
      this.#encoded.set(name, (bytes = encodeFile(describeFile(file, this.#objects.get(name) ?? []))));
    return bytes;
  }

  #index(place: protobuf.NamespaceBase): void {
    for (const each of place.nestedArray) {
      const isDefined =
        each instanceof protobuf.Type || each instanceof protobuf.Enum || each instanceof protobuf.Service;
      if (!isDefined) {
        if (each instanceof protobuf.Namespace) this.#index(each);
        continue;
      }
      const file = this.#definitions.fileOf(each);
      const objects = this.#objects.get(file) ?? [];
      objects.push(each);
      this.#objects.set(file, objects);
      this.#name(each, file);
    }
  }

  /** Everything in a definition is found by its name. */
  #name(each: protobuf.ReflectionObject, file: string): void {
    this.#symbols.set(each.fullName.slice(1), file);
    if (each instanceof protobuf.Type) for (const inner of each.nestedArray) this.#name(inner, file);
  }
}
