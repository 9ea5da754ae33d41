/** One challenge of a WWW-Authenticate header (RFC 9110, 11.6.1). Scheme and names of parameters are in lower case. */
export interface Challenge {
  readonly scheme: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** A name with the value of a parameter; otherwise a scheme, or what another scheme has instead of parameters. */
const word = /([!#$%&'*+\-.^_`|~0-9A-Za-z/]+)(?:[ \t]*(=)(?!=)[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))|=*)/y;
const between = /[\s,]*/y;

/** The challenges of all headers of the name. What is not written as one ends its header: nothing behind it is believed. */
export function challengesOf(header: string | readonly string[] | undefined): readonly Challenge[] {
  const headers = header === undefined ? [] : typeof header === 'string' ? [header] : header;
  return headers.flatMap(challengesIn);
}

function challengesIn(header: string): Challenge[] {
  const found: { scheme: string; parameters: Map<string, string> }[] = [];
  let at = 0;
  while (true) {
    between.lastIndex = at;
    between.exec(header);
    word.lastIndex = between.lastIndex;
    const read = word.exec(header);
    if (read === null) return found;
    at = word.lastIndex;
    const [, name = '', equals, quoted, plain] = read;
    if (equals === undefined) found.push({ scheme: name.toLowerCase(), parameters: new Map() });
    else found.at(-1)?.parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '');
  }
}
