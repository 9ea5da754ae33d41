import { withoutTokens } from '../values/tokens.ts';
import type { FilledRequest } from './fill.ts';

/** Headers that are credentials by their names. */
const secretHeader = /authorization|cookie|token|secret|api[-_]?key/i;
/** Members of a body that are. */
const secretMember = /password|passwd|secret|token$|^code$/i;

/**
 * The request as a command line for a POSIX shell. Credentials are variables in it: `$TOKEN` for that of an identity, a
 * header of its own by the name of the header; in a body their names are in angle brackets.
 */
export function curlOf({ method, url, headers, body }: FilledRequest, hasIdentity: boolean): string {
  const lines = [`curl -X ${method} ${quoted(url)}`];
  for (const [name, value] of Object.entries(headers))
    lines.push(secretHeader.test(name) ? `-H "${name}: $${variableOf(name)}"` : `-H ${quoted(`${name}: ${value}`)}`);
  if (hasIdentity) lines.push('-H "Authorization: Bearer $TOKEN"');
  if (body !== undefined) lines.push(`--data-raw ${quoted(withoutCredentials(body))}`);
  return lines.join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function variableOf(header: string): string {
  return header.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
}

function withoutCredentials(body: string): string {
  try {
    const masked = (name: string, value: unknown) =>
      typeof value === 'string' && secretMember.test(name) ? `<${name}>` : value;
    return withoutTokens(JSON.stringify(JSON.parse(body, masked)));
  } catch {
    return withoutTokens(body);
  }
}
