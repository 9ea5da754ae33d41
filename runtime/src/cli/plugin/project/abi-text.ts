/** `assembly/abi.ts` of a new plugin: how texts go in and out of a module of AssemblyScript. */
export const abiText = `// How texts go in and out of a module: the page "The interface of modules" says it for every language.
import { Json, parse } from "./json";

/** Gives memory for an input. */
export function alloc(size: i32): usize {
  return heap.alloc(size);
}

/** Takes back the memory of an input, or of a result that was read. */
export function free(address: usize, size: i32): void {
  heap.free(address);
}

/** What a function is given. */
export function input(address: usize, length: i32): Json {
  return parse(String.UTF8.decodeUnsafe(address, length));
}

/** What a function gives: the address of the length of a text, with the text behind it. */
export function answer(value: Json): usize {
  const text = value.toString();
  const size = String.UTF8.byteLength(text);
  const address = heap.alloc(4 + size);
  store<u32>(address, size);
  String.UTF8.encodeUnsafe(changetype<usize>(text), text.length, address + 4);
  return address;
}

/** Fails the call with a text. */
export function failure(text: string): usize {
  return answer(Json.object().set("error", Json.text(text)));
}
`;
