import type { Request } from './request.ts';

/** A request as it is sent. */
export interface FilledRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

const variable = /\{\{\s*([\w.-]+)\s*\}\}/g;

/** Names of the variables in what is sent, `base` included, each once. */
export function variablesIn({ url, headers, body }: Request): readonly string[] {
  const texts = [url, ...Object.values(headers), typeof body === 'string' ? body : JSON.stringify(body ?? '')];
  return [...new Set(texts.flatMap((text) => [...text.matchAll(variable)].map(([, name]) => name as string)))];
}

/** Whether a request names the address of the running service. */
export function isForOwnService(request: Request): boolean {
  return variablesIn(request).includes('base') && !Object.hasOwn(request.variables ?? {}, 'base');
}

/**
 * Puts values for variables. `base` is the address of the running service, undefined while none runs. Throws an Error
 * that names every variable without a value, and says what else cannot be sent.
 */
export function fillRequest(request: Request, base: string | undefined): FilledRequest {
  const { method, url, headers, body } = request;
  const values: Readonly<Record<string, string>> = { ...(base === undefined ? {} : { base }), ...request.variables };
  const missing = variablesIn(request).filter((name) => !Object.hasOwn(values, name));
  if (missing.includes('base'))
    throw new Error('{{base}} is the address of the running service, and it does not run: start it first.');
  if (missing.length > 0) throw new Error(`${listed(missing)} has no value: give it one under Variables.`);
  const fill = (text: string) => text.replace(variable, (_, name: string) => values[name] as string);
  const empty = [...url.matchAll(variable)].map(([, name]) => name as string).filter((name) => values[name] === '');
  if (empty.length > 0) throw new Error(`${listed(empty)} is empty, and is part of the address.`);
  // `base` is an address itself; what else is written in one is a part of it.
  const address = url.replace(variable, (_, name: string) =>
    name === 'base' ? (values[name] as string).replace(/\/$/, '') : encodeURIComponent(values[name] as string),
  );
  if (!URL.canParse(address) || !/^https?:/.test(address))
    throw new Error(`"${address}" is not an address that begins with http:// or https://.`);
  const filled = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]));
  const isText = typeof body === 'string';
  const text = body === undefined ? undefined : isText ? fill(body) : JSON.stringify(filledIn(body, fill));
  if (text !== undefined && (method === 'GET' || method === 'HEAD'))
    throw new Error(`A ${method} request carries no body: empty it, or choose another method.`);
  const hasType = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  const type: Record<string, string> =
    text === undefined || isText || hasType ? {} : { 'content-type': 'application/json' };
  return { method, url: address, headers: { ...type, ...filled }, body: text };
}

/** The texts of a value filled in; the value of a variable never ends the text that it is in. */
function filledIn(value: unknown, fill: (text: string) => string): unknown {
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return value.map((item) => filledIn(item, fill));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filledIn(item, fill)]));
}

function listed(names: readonly string[]): string {
  return names.map((name) => `{{${name}}}`).join(', ');
}
