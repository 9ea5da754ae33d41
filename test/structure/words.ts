import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A word that is not a term of the field, and what to write instead. */
interface Word {
  /** A regular expression of whole words. A space in it matches any white space, also the end of a comment's line. */
  readonly pattern: string;
  /** The standard term, or several to choose from. */
  readonly term: string;
}

/** The words that sources and pages do not use. */
const words: readonly Word[] = [
  { pattern: 'patience|patient|patiently', term: 'timeout' },
  { pattern: 'hurry|hurries|hurried', term: 'abort' },
  { pattern: 'doors?', term: 'endpoint, entry point' },
  { pattern: '(?:stands?|stood)(?!-in|-alone| in for)', term: 'is, is written, is set, waits, is suspended' },
  { pattern: '(?<!long-|free-)standing', term: 'status, suspended, written' },
  { pattern: 'somebody|someone', term: 'a client, a person, a caller' },
  { pattern: 'nobody', term: 'no client, no one' },
  { pattern: 'whoever', term: 'the caller that, anyone who' },
  { pattern: 'told', term: 'reported, notified, shown' },
  { pattern: 'tells? (?:\\w+ ){0,3}apart', term: 'distinguish' },
  {
    pattern:
      '(?<!\\bthere )(?:is|are|was|were) no (?!longer|more|greater|less|fewer|other|later|earlier|op\\b|one\\b)\\w+',
    term: 'is not a',
  },
  { pattern: '(?:has|have|had|is|are|with|where) none', term: 'has no, is absent' },
  { pattern: 'in vain', term: 'unnecessarily' },
  { pattern: 'mend|mended|mends|mending', term: 'fix, repair, correct' },
  { pattern: 'alike', term: 'equally, in the same way' },
  { pattern: 'lies|lying|liars?', term: 'is; declares a wrong length' },
  { pattern: 'deaf', term: 'that does not read' },
  { pattern: 'heeds?|heeded', term: 'observe' },
  { pattern: 'obeys?|obeyed', term: 'follow, honour' },
  { pattern: 'goes on|go on|going on|went on', term: 'continue' },
  { pattern: 'lets? go|letting go', term: 'release' },
  { pattern: 'hands? on|handed on', term: 'forward, pass' },
  { pattern: 'lives (?:in|at|where)', term: 'is in, is stored' },
  { pattern: '(?<=\\b(?:the|of|long|short|their|its|these|different) )lives|lives of', term: 'lifetimes' },
  { pattern: '(?:stays?|is|are) away(?! from)', term: 'is unavailable' },
  { pattern: 'speaks? of', term: 'mention' },
  { pattern: 'once more|anew', term: 'again' },
  { pattern: 'strangers?', term: 'an unknown client' },
  { pattern: 'errands?', term: 'a task, a request' },
  { pattern: 'sworn|fates?', term: 'guaranteed; result' },
];

/** Files that use one of the words for what it means, with the matches that are right there. */
export const exceptions: Readonly<Record<string, RegExp>> = {
  // The list itself, and its test.
  'test/structure/words.ts': /./,
  'test/structure/words.test.ts': /./,
};

/** Pages at the top of the repository. */
export const topPages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'] as const;

interface Finding {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

const text = /\.(?:tsx?|mjs|js|md|hcl|css|html|sh|sql|yml|txt|json)$/;

/** Every source and page in folders and files that are named from the top of the repository. */
export function readTexts(top: string, places: readonly string[]): { path: string; text: string }[] {
  const left = ['node_modules', 'dist', '.git'];
  return places
    .flatMap((place) =>
      statSync(join(top, place)).isFile()
        ? [place]
        : globSync(`${place.replace(/\/$/, '')}/**/*.*`, {
            cwd: top,
            exclude: (entry) => left.includes(entry.split(/[\\/]/).at(-1)!),
          }),
    )
    .map((found) => found.replaceAll('\\', '/').replace(/^\.\//, ''))
    .filter((path) => text.test(path) && !path.endsWith('package-lock.json') && statSync(join(top, path)).isFile())
    .sort()
    .map((path) => ({ path, text: readFileSync(join(top, path), 'utf8') }));
}

const patterns = words.map(({ pattern, term }) => ({
  // A phrase may continue in the next line of a comment.
  expression: new RegExp(`\\b(?:${pattern.replaceAll(' ', '\\s+(?:(?:\\*|//|#)\\s+)?')})(?![a-z])`, 'gi'),
  term,
}));

/** What to change in a file, as `path:line what`, words before comments. */
export function findings(path: string, source: string): string[] {
  return [...ownWords(path, source), ...unfinishedComments(path, source)].map(
    ({ line, text }) => `${path}:${line} ${text}`,
  );
}

/** Words of the list in the text, in comments, strings and names; names are split where a capital or `_` begins a word. */
export function ownWords(path: string, source: string): Finding[] {
  const split = source
    .replace(/([sS]tand)(?=In)/g, '$1-')
    .replace(/([a-z0-9])(?=[A-Z])/g, '$1 ')
    .replaceAll('_', ' ');
  const excepted = exceptions[path];
  return patterns
    .flatMap(({ expression, term }) =>
      [...split.matchAll(expression)].flatMap((match) => {
        if (excepted?.test(match[0])) return [];
        const line = lineAt(split, match.index);
        return [{ line, text: `${match[0].replace(/\s+/g, ' ')} -> ${term}` }];
      }),
    )
    .sort((one, other) => one.line - other.line);
}

/** Doc comments that do not begin with a capital, or do not end with a full stop. */
function unfinishedComments(path: string, source: string): Finding[] {
  if (!/\.(?:tsx?|mjs)$/.test(path)) return [];
  return [...source.matchAll(/^[ \t]*\/\*\*(?!\/)([\s\S]*?)\*\//gm)].flatMap((match) => {
    const comment = match[1]!.replace(/^[ \t]*\* ?/gm, '').trim();
    const line = lineAt(source, match.index);
    return [
      ...(beginsWell(comment) ? [] : [{ line, text: `begins without a capital: ${comment.split('\n')[0]}` }]),
      ...(endsWell(comment) ? [] : [{ line, text: `ends without a full stop: ${comment.split('\n').at(-1)}` }]),
    ];
  });
}

/** A capital, a number, code, a quotation, a tag or a link. */
function beginsWell(comment: string): boolean {
  return /^(?:\p{Lu}|-?\d|[`'"<@[{(.])/u.test(comment) || /^https?:/.test(comment);
}

/** The end of a sentence, of a block of code, or a line of a tag or of a link. */
function endsWell(comment: string): boolean {
  const last = comment.split('\n').at(-1)!;
  return /[.:?!][)'"`]?$/.test(last) || last === '```' || last.endsWith('|') || /^(?: {4}|@|\{@|https?:)/.test(last);
}

function lineAt(source: string, offset: number): number {
  return source.slice(0, offset).split('\n').length;
}
