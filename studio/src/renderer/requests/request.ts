/** What a file `requests/<name>.json` holds. Every text may name variables as `{{name}}`. */
export interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Text is sent as it is, any other value as JSON; absent or an empty text: no body. */
  readonly body?: unknown;
  /** Values of variables, by name. `base`, the address of the running service, is known without. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
}

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;

const members: ReadonlySet<string> = new Set(['method', 'url', 'headers', 'body', 'variables']);
const token = /^[!#$%&'*+.^_`|~\w-]{1,40}$/;

/** Reads the text of a request. Throws an Error with a sentence that says what is wrong with it. */
export function readRequest(text: string): Request {
  const written = parsed(text);
  const { method = 'GET', url, headers = {}, body, variables } = written;
  const unknown = Object.keys(written).filter((name) => !members.has(name));
  if (unknown.length > 0) throw new Error(`A request has no member ${unknown.join(', ')}.`);
  if (typeof method !== 'string' || !token.test(method)) throw new Error('"method" is a word such as GET or POST.');
  if (typeof url !== 'string') throw new Error('"url" is missing: the address to send to, such as "{{base}}/orders".');
  return {
    method: method.toUpperCase(),
    url,
    headers: textsOf('headers', headers),
    ...(body === undefined || body === '' ? {} : { body }),
    ...(variables === undefined ? {} : { variables: textsOf('variables', variables) }),
  };
}

/** The text of a request, as it is kept in its file. */
export function writeRequest({ method, url, headers, body = '', variables }: Request): string {
  const hasVariables = variables !== undefined && Object.keys(variables).length > 0;
  const ordered = { method, url, ...(hasVariables ? { variables } : {}), headers, body };
  return `${JSON.stringify(ordered, undefined, 2)}\n`;
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`The file is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('A request is an object with "method", "url", "headers" and "body".');
  return value as Readonly<Record<string, unknown>>;
}

function textsOf(name: string, value: unknown): Readonly<Record<string, string>> {
  const isTexts = typeof value === 'object' && value !== null && !Array.isArray(value);
  const wrong = isTexts ? Object.entries(value).find(([, each]) => typeof each !== 'string')?.[0] : '';
  if (wrong === undefined) return value as Readonly<Record<string, string>>;
  throw new Error(wrong === '' ? `"${name}" is an object of texts.` : `"${wrong}" in "${name}" is a text.`);
}
