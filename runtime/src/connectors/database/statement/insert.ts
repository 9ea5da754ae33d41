import type { Dialect } from './dialect.ts';
import type { Insert, NamedTable } from './named-table.ts';
import { type Lexis, scan } from './scanner.ts';

const verbs = new Set(['select', 'insert', 'replace', 'update', 'delete', 'merge', 'values', 'table']);
const bareName = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y;

/** Takes an INSERT apart; undefined when the statement is another one, or several. */
export function insertOf(source: string, lexis: Lexis): Insert | undefined {
  const { outer, statements } = scan(source, lexis);
  const [statement] = statements;
  if (statement === undefined || statements.length > 1) return undefined;
  const verb = outer.findIndex(({ word }) => verbs.has(word));
  const word = outer[verb]?.word;
  if (word !== 'insert' && word !== 'replace') return undefined;
  const into = outer.slice(verb).find((each) => each.word === 'into');
  const found = into && tableAt(source, into.end, lexis);
  if (found === undefined) return undefined;
  const words = outer.slice(verb).map((each) => each.word);
  return {
    table: found.table,
    text: statement.text,
    words,
    returns: words.includes('returning'),
    rest: source.slice(found.end),
  };
}

interface Named<N> {
  readonly name: N;
  readonly end: number;
}

function tableAt(source: string, from: number, lexis: Lexis): { table: NamedTable; end: number } | undefined {
  const first = nameAt(source, from, lexis);
  if (first === undefined) return undefined;
  const dot = skip(source, first.end, lexis);
  if (source[dot] !== '.') return { table: { schema: undefined, table: first.name }, end: first.end };
  const second = nameAt(source, dot + 1, lexis);
  return second && { table: { schema: first.name, table: second.name }, end: second.end };
}

function nameAt(source: string, from: number, lexis: Lexis): Named<string> | undefined {
  const at = skip(source, from, lexis);
  const close = lexis.names[source[at] ?? ''];
  if (close !== undefined) return quotedAt(source, at, close);
  bareName.lastIndex = at;
  const bare = bareName.exec(source)?.[0];
  return bare === undefined ? undefined : { name: lexis.foldsNames ? bare.toLowerCase() : bare, end: at + bare.length };
}

function quotedAt(source: string, at: number, close: string): Named<string> | undefined {
  const doubles = source[at] === close;
  let name = '';
  for (let index = at + 1; index < source.length; index++) {
    if (source[index] === close && doubles && source[index + 1] === close) index++;
    else if (source[index] === close) return name === '' ? undefined : { name, end: index + 1 };
    name += source[index];
  }
  return undefined;
}

/** The next place that is neither white space nor a comment. */
function skip(source: string, from: number, { lineComment }: Lexis): number {
  let at = from;
  for (;;) {
    lineComment.lastIndex = at;
    if (/\s/.test(source[at] ?? '')) at++;
    else if (lineComment.test(source)) at = endOf(source, '\n', at);
    else if (source.startsWith('/*', at)) at = endOf(source, '*/', at);
    else return at;
  }
}

function endOf(source: string, text: string, from: number): number {
  const found = source.indexOf(text, from + 1);
  return found < 0 ? source.length : found + text.length;
}

/** Why the key of a row that was made cannot be determined, and what to write instead. */
export function keyUnknown({ schema, table }: NamedTable, { keys }: Pick<Dialect, 'keys'>): string {
  const name = schema === undefined ? table : `${schema}.${table}`;
  return `the key of a row of "${name}" cannot be determined: ${keys.remedy}`;
}
