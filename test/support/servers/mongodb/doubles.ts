import { Double, Int32, Long } from 'mongodb';

type Container = Record<string, unknown>;

/** Fields, or positions of lists, that hold a double without a fraction, which is a plain number as an integer is. */
const wholeDoubles = new WeakMap<object, Set<string>>();

/** What was read with a type for each number, with plain numbers; integers that 32 bits do not hold stay objects. */
export function reduced(value: unknown): unknown {
  if (value instanceof Int32 || value instanceof Double) return Number(value.value);
  if (value instanceof Long) return value.equals(value.toInt()) ? value.toInt() : value;
  if (Array.isArray(value)) return marked(value, value.map(reduced));
  if (!isPlain(value)) return value;
  return marked(value, Object.fromEntries(Object.entries(value).map(([name, item]) => [name, reduced(item)])));
}

function marked<T extends object>(from: object, made: T): T {
  for (const [name, item] of Object.entries(from))
    if (item instanceof Double && Number.isInteger(item.value)) mark(made, name);
  return made;
}

function mark(container: object, name: string): void {
  wholeDoubles.set(container, (wholeDoubles.get(container) ?? new Set()).add(name));
}

/** The same with doubles where they are. */
export function typed(value: unknown): unknown {
  const isList = Array.isArray(value);
  if (!isList && !isPlain(value)) return value;
  const marks = wholeDoubles.get(value as object);
  const typedItem = (name: string, item: unknown) =>
    typeof item === 'number' && marks?.has(name) ? new Double(item) : typed(item);
  if (isList) return value.map((item, at) => typedItem(String(at), item));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, typedItem(name, item)]));
}

/** Makes doubles of the numbers of one value that are doubles in another, at the same places. */
export function keepDoubles(from: unknown, to: unknown): void {
  if (typeof from !== 'object' || typeof to !== 'object' || from === null || to === null) return;
  for (const [name, item] of Object.entries(from)) {
    const own = (to as Container)[name];
    if (own === item && wholeDoubles.get(from)?.has(name)) mark(to, name);
    else keepDoubles(item, own);
  }
}

/** Makes doubles of what an update sets to one, by the path of each; with `isWhole` other numbers become integers. */
export function setDoubles(fields: Container, to: Container, isWhole: boolean): void {
  for (const [path, item] of Object.entries(fields)) {
    const parts = path.split('.');
    const last = parts.pop() as string;
    let holder: unknown = to;
    for (const part of parts) holder = (holder as Container | undefined)?.[part];
    if (typeof holder !== 'object' || holder === null) continue;
    const marks = wholeDoubles.get(holder);
    if (wholeDoubles.get(fields)?.has(path)) mark(holder, last);
    else if (typeof item === 'number') {
      if (isWhole) marks?.delete(last);
    } else keepDoubles(item, (holder as Container)[last]);
  }
}

function isPlain(value: unknown): value is Container {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
