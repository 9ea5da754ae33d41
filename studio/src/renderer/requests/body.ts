/** How a body is shown for editing. */
export function shownBody(body: unknown): string {
  if (body === undefined) return '';
  return typeof body === 'string' ? body : JSON.stringify(body, undefined, 2);
}

/**
 * What is kept of an edited body. Text stays text; what was JSON, or was nothing, becomes JSON when it is a list or an
 * object and loses nothing by it (such as digits of a long number).
 */
export function bodyOf(text: string, before: unknown): unknown {
  if (text.trim() === '') return undefined;
  if (typeof before === 'string' && !isUnfinished(before)) return text;
  return readJson(text) ?? text;
}

/** A text that began as JSON, and is on its way to be JSON again. */
function isUnfinished(text: string): boolean {
  return /^\s*[[{]/.test(text) && readJson(text) === undefined;
}

/** A list or an object; undefined when the text is not one, or numbers in it would change. */
function readJson(text: string): object | undefined {
  let isExact = true;
  // What is written of a number is known to the reviver (ECMAScript proposal "JSON.parse source text access").
  const revive = (_key: string, value: unknown, context?: { readonly source?: string }) => {
    if (typeof value === 'number' && context?.source !== undefined && String(value) !== context.source) isExact = false;
    return value;
  };
  try {
    const value: unknown = JSON.parse(text, revive as (key: string, value: unknown) => unknown);
    return isExact && typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Why a text that looks like JSON is not JSON; undefined when it is, or does not look like it. */
export function jsonProblem(text: string): string | undefined {
  // With variables in it, it is JSON only after they are filled in.
  if (!/^\s*[[{]/.test(text) || text.includes('{{')) return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
