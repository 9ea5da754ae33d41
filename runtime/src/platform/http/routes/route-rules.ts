/** Methods that flows may claim. */
export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'HEAD', 'OPTIONS'] as const;

export type Method = (typeof methods)[number];

/** `METHOD /path` taken apart. */
export interface Operation {
  readonly method: Method;
  readonly path: string;
  readonly segments: readonly Segment[];
}

/** One part of a path between slashes: fixed text, or a parameter by name. */
export type Segment = { readonly literal: string } | { readonly parameter: string };

const parameterForm = /^(?::([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})$/;
/** Text of a path as callers see it: no percent-encoding, nothing that routers read as a pattern. */
const literalForm = /^(?:[A-Za-z0-9\-._~!$&'+,;=@]|[^\x00-\x7f])*$/;

/** Reads an operation; a text says why it is malformed. A path without a method word is a GET. */
export function parseOperation(operation: string): Operation | string {
  const words = operation.trim().split(/\s+/);
  const [first = '', second] = words;
  if (words.length > 2) return `\`${operation}\` has more than a method and a path; write it like \`GET /orders/:id\``;
  if (second === undefined && !first.startsWith('/'))
    return `\`${operation}\` is not an operation of a REST server; write it like \`GET /orders/:id\``;
  const method = second === undefined ? 'GET' : first.toUpperCase();
  const path = second ?? first;
  if (!isMethod(method))
    return `\`${first}\` is not an HTTP method that flows can serve; it can be ${methods.join(', ')}`;
  if (!path.startsWith('/')) return `the path \`${path}\` must start with \`/\``;
  if (/[?#]/.test(path)) return `the path \`${path}\` may not carry a query; query parameters arrive in \`input\``;
  const segments: Segment[] = [];
  const names = new Set<string>();
  for (const part of path.slice(1).split('/')) {
    const [, colon, braces] = parameterForm.exec(part) ?? [];
    const parameter = colon ?? braces;
    if (parameter === undefined && !literalForm.test(part))
      return `\`${part}\` in the path \`${path}\` is neither plain text nor a parameter such as \`:id\``;
    if (parameter === 'headers' || parameter === 'files')
      return `the parameter \`:${parameter}\` would hide \`input.${parameter}\`; give it another name`;
    if (parameter !== undefined && names.has(parameter))
      return `the parameter \`:${parameter}\` occurs twice in \`${path}\``;
    if (parameter !== undefined) names.add(parameter);
    segments.push(parameter === undefined ? { literal: part } : { parameter });
  }
  return { method, path, segments };
}

/** Why an operation is malformed, or undefined. */
export function checkOperation(operation: string): string | undefined {
  const parsed = parseOperation(operation);
  return typeof parsed === 'string' ? parsed : undefined;
}

/** The routes of an operation; none when it is malformed. A GET answers HEAD too. */
export function servedAt(operation: string): readonly string[] {
  const parsed = parseOperation(operation);
  if (typeof parsed === 'string') return [];
  const methods = parsed.method === 'GET' ? ['GET', 'HEAD'] : [parsed.method];
  return methods.map((method) => `${method} ${parsed.path}`);
}

/** Names of the path parameters of an operation; none when it is malformed. */
export function parametersOf(operation: string): readonly string[] {
  const parsed = parseOperation(operation);
  if (typeof parsed === 'string') return [];
  return parsed.segments.flatMap((segment) => ('parameter' in segment ? [segment.parameter] : []));
}

/** Two operations of one connector that conflict. Indexes are those of the list that was given. */
export interface PathConflict {
  readonly first: number;
  readonly second: number;
  /** `names`: the same paths but for the names of parameters; `order`: some paths match both and neither is more exact. */
  readonly kind: 'names' | 'order';
  readonly message: string;
}

/** Paths that differ only in parameter names, or that no router can order. Malformed operations are skipped. */
export function pathConflicts(operations: readonly string[]): PathConflict[] {
  const conflicts: PathConflict[] = [];
  const shelves = new Map<string, { readonly index: number; readonly operation: Operation }[]>();
  for (const [second, written] of operations.entries()) {
    const operation = parseOperation(written);
    if (typeof operation === 'string') continue;
    for (const key of comparableShelves(operation))
      for (const { index: first, operation: earlier } of shelves.get(key) ?? []) {
        const kind = conflictOf(earlier.segments, operation.segments);
        if (kind === undefined) continue;
        const pair = `\`${earlier.method} ${earlier.path}\` and \`${operation.method} ${operation.path}\``;
        const message =
          kind === 'names'
            ? `${pair} differ only in the names of their parameters`
            : `${pair} both match some paths, and neither is more exact than the other`;
        conflicts.push({ first, second, kind, message });
      }
    for (const key of ownShelves(operation)) place(shelves, key, { index: second, operation });
  }
  return conflicts;
}

function place<T>(shelves: Map<string, T[]>, key: string, item: T): void {
  const shelf = shelves.get(key);
  if (shelf) shelf.push(item);
  else shelves.set(key, [item]);
}

/** Paths are kept by method, length and their first two segments, so that only those that can conflict are compared. */
function comparableShelves(operation: Operation): readonly string[] {
  return shelvesBy(operation, (segment) => ('parameter' in segment ? ['*'] : [`/${segment.literal}`, ':']));
}

function ownShelves(operation: Operation): readonly string[] {
  return shelvesBy(operation, (segment) => ['*', 'parameter' in segment ? ':' : `/${segment.literal}`]);
}

function shelvesBy(
  { method, segments }: Operation,
  keysOf: (segment: Segment) => readonly string[],
): readonly string[] {
  const [first, second] = segments;
  const base = `${method} ${segments.length}`;
  if (first === undefined) return [base];
  const keys = keysOf(first).map((key) => `${base} ${key}`);
  return second === undefined ? keys : keys.flatMap((key) => keysOf(second).map((next) => `${key} ${next}`));
}

function conflictOf(a: readonly Segment[], b: readonly Segment[]): PathConflict['kind'] | undefined {
  if (a.length !== b.length) return undefined;
  let differentName = false;
  let [aFixes, bFixes] = [false, false];
  // Every two paths of a service may be compared, so the loop builds nothing.
  for (let index = 0; index < a.length; index++) {
    const left = a[index] as Segment;
    const right = b[index] as Segment;
    if ('literal' in left && 'literal' in right) {
      if (left.literal !== right.literal) return undefined;
    } else if ('literal' in left) aFixes = true;
    else if ('literal' in right) bFixes = true;
    else if (left.parameter !== right.parameter) differentName = true;
  }
  if (aFixes && bFixes) return 'order';
  return differentName && !aFixes && !bFixes ? 'names' : undefined;
}

function isMethod(word: string): word is Method {
  return (methods as readonly string[]).includes(word);
}
