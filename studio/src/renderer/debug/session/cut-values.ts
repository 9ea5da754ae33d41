/** A path from one of the names that a run keeps: `input.items`, `step.user`. */
const kept = /(?<![\w.])(input|output|step|enriched)((?:\.[A-Za-z_]\w*)*)/g;

/** The first path of an expression whose value was cut on its way here, so that what it gives would be wrong. */
export function cutPath(expression: string, scope: Readonly<Record<string, unknown>>): string | undefined {
  for (const { 1: root, 2: rest } of expression.matchAll(kept)) {
    let path = root as string;
    let value: unknown = scope[path];
    for (const name of (rest as string).split('.').slice(1)) {
      const next = isMap(value) ? value[name] : undefined;
      // A method, or what is not there.
      if (next === undefined) break;
      value = next;
      path += `.${name}`;
    }
    if (isCut(value)) return path;
  }
  return undefined;
}

/** Whether a value says in its place that something of it was left out; see `ValueWriter` of the service. */
function isCut(value: unknown): boolean {
  if (typeof value === 'string')
    return /^(?:\[…\]|\{…\}|\[bytes …\]|… \d+ more)$/.test(value) || /… \(\d+ characters\)$/.test(value);
  if (Array.isArray(value)) return value.some(isCut);
  return isMap(value) && ('…' in value || Object.values(value).some(isCut));
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
