/** A Content-Type taken apart (RFC 9110, 8.3.1): `type/subtype` and parameter names in lower case. */
export interface MediaType {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const typeForm = /^[ \t]*([\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+)[ \t]*/;
const parameterForm = /;[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([\w!#$%&'*+.^`|~-]+)))?[ \t]*/y;
const plainJson: MediaType = { type: 'application/json', parameters: new Map() };

/** Reads a Content-Type; undefined when it is malformed. Empty parameters (a trailing `;`) are allowed. */
export function parseMediaType(header: string): MediaType | undefined {
  if (header === 'application/json') return plainJson;
  const type = typeForm.exec(header);
  if (type === null) return undefined;
  const parameters = new Map<string, string>();
  let at = type[0].length;
  while (at < header.length) {
    parameterForm.lastIndex = at;
    const found = parameterForm.exec(header);
    if (found === null || found[0] === '') return undefined;
    const [, name, quoted, token] = found;
    if (name !== undefined) parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? token ?? '');
    at += found[0].length;
  }
  return { type: (type[1] as string).toLowerCase(), parameters };
}
