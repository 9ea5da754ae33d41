import protobuf from 'protobufjs';
import { readMessage } from '../../../../../platform/formats/protobuf/read.ts';
import { writeMessage } from '../../../../../platform/formats/protobuf/write.ts';
import { unreadable } from '../../../../../platform/formats/typed/problem.ts';
import type { Schema, WrittenSchema } from '../format.ts';

/** Most numbers that say which message of a file a value is. */
const deepestMessage = 100;

/**
 * A file of Protobuf. Before each value there are the numbers that say which of its messages it is. `message` is the one that
 * is written, the first one when absent. Throws an Error for what is not such a file, or needs one that is not there.
 */
export function protobufSchema({ text, referred }: WrittenSchema, message: string | undefined): Schema {
  const root = new protobuf.Root();
  const own = protobuf.parse(text, new protobuf.Root(), { keepCase: true });
  const there = new Set(referred.map(({ name }) => name));
  const add = (file: string) => {
    const { imports = [], weakImports = [] } = protobuf.parse(file, root, { keepCase: true });
    for (const name of [...imports, ...weakImports]) addCommon(name, root, there);
  };
  for (const { text: other } of referred) add(other);
  add(text);
  root.resolveAll();
  const written = pathOf(own.root, message);
  const type = root.lookupType(nameAt(own.root, written));
  const numbers = numbersOf(written);
  const types = new Map<string, protobuf.Type>();
  const typeAt = (path: readonly number[]) => {
    const key = path.join();
    let found = types.get(key);
    if (found === undefined) types.set(key, (found = root.lookupType(nameAt(own.root, path))));
    return found;
  };
  return {
    name: type.fullName.slice(1),
    read: (bytes) => {
      const reader = protobuf.Reader.create(bytes);
      return readMessage(typeAt(readPath(reader)), reader);
    },
    write: (value) => Buffer.concat([numbers, writeMessage(type, value)]),
  };
}

/** Files that everybody has, of those that the library knows. */
function addCommon(name: string, root: protobuf.Root, there: Set<string>): void {
  if (there.has(name)) return;
  there.add(name);
  const known = protobuf.common.get(name);
  if (known?.nested === undefined) throw new Error(`it imports "${name}", which the registry does not refer to`);
  root.addJSON(known.nested);
}

/** Messages are numbered in the order of the file, inside each other. */
function messagesIn(place: protobuf.NamespaceBase): protobuf.Type[] {
  return place.nestedArray.flatMap((each) => {
    if (each instanceof protobuf.Type) return [each];
    // A package is a place of its own, whose messages are those of the file.
    return each instanceof protobuf.Namespace && !(place instanceof protobuf.Type) ? messagesIn(each) : [];
  });
}

/** The full name of the message that these numbers mean. Throws a Failure. */
function nameAt(root: protobuf.Root, path: readonly number[]): string {
  let place: protobuf.NamespaceBase = root;
  for (const number of path) {
    const found: protobuf.Type | undefined = messagesIn(place)[number];
    if (found === undefined) throw unreadable(`the schema has no message ${path.join('.')}`);
    place = found;
  }
  return place.fullName;
}

function pathOf(root: protobuf.Root, message: string | undefined): number[] {
  const [first] = messagesIn(root);
  if (first === undefined) throw new Error('it has no message');
  if (message === undefined) return [0];
  const search = (place: protobuf.NamespaceBase): number[] | undefined => {
    for (const [at, type] of messagesIn(place).entries()) {
      if (type.fullName === `.${message}`) return [at];
      const inside = search(type);
      if (inside !== undefined) return [at, ...inside];
    }
    return undefined;
  };
  const found = search(root);
  if (found === undefined) throw new Error(`it has no message "${message}"`);
  return found;
}

/** The count of the numbers and each of them, zigzag; the first message alone is one byte 0. */
function numbersOf(path: readonly number[]): Uint8Array {
  if (path.length === 1 && path[0] === 0) return Buffer.of(0);
  const writer = protobuf.Writer.create().sint32(path.length);
  for (const number of path) writer.sint32(number);
  return writer.finish();
}

function readPath(reader: protobuf.Reader): number[] {
  try {
    const count = reader.sint32();
    if (count === 0) return [0];
    if (count < 0 || count > deepestMessage) throw unreadable(`${count} cannot be a count of messages`);
    return Array.from({ length: count }, () => reader.sint32());
  } catch (error) {
    if (error instanceof RangeError) throw unreadable('it ends too early', error);
    throw error;
  }
}
