import { compileRegex } from '@svc/protocol/cel';
import { Failure } from '../../foundation/errors/failure.ts';
import type { Naming } from './naming.ts';

const special = /[.+^${}()|\\[\]]/;

/** Characters of a pattern. */
const longest = 1024;

/** Why a pattern cannot be one, or undefined. Pure. */
export function globProblem(pattern: string): string | undefined {
  if (pattern === '') return 'is empty';
  if (pattern.length > longest) return `is longer than ${longest} characters`;
  const regex = regexOf(pattern);
  return 'test' in regex ? undefined : 'is not a pattern of file names';
}

/**
 * Compiles a pattern of paths, matched in time linear in the path: `*` and `?` within a name, `[a-z]` and `[!a-z]`, `**`
 * over folders. A pattern without `/` is tried on the name, so that it holds in every folder; another one on the whole
 * path. Throws `parameters_invalid` for what is not a pattern.
 */
export function compileGlob(pattern: string, naming: Naming): (path: string) => boolean {
  const regex = regexOf(pattern, naming);
  if (!('test' in regex)) throw new Failure('parameters_invalid', `the pattern ${globProblem(pattern)}`);
  if (pattern.includes('/')) return (path) => regex.test(path);
  return (path) => regex.test(path.slice(path.lastIndexOf('/') + 1));
}

function regexOf(pattern: string, naming?: Naming) {
  const ignored = naming?.ignoredInPatterns;
  return compileRegex(`^(?s:${sourceOf(ignored === undefined ? pattern : pattern.replace(ignored, ''))})$`);
}

function sourceOf(pattern: string): string {
  let source = '';
  for (let at = 0; at < pattern.length; ) {
    const rest = pattern.slice(at);
    const [word = ''] = /^(?:\*\*\/)+|^\*+|^\?|^\[!?\]?[^\]]*\]|^./su.exec(rest) ?? [];
    source += partOf(word);
    at += word.length;
  }
  return source;
}

function partOf(word: string): string {
  if (word.startsWith('**/')) return '(?:[^/]*/)*';
  if (word.startsWith('**')) return '.*';
  if (word === '*') return '[^/]*';
  if (word === '?') return '[^/]';
  if (word.length > 1 && word.startsWith('[')) {
    const isNegated = word[1] === '!';
    const letters = word.slice(isNegated ? 2 : 1, -1).replace(/[\\\]^[]/g, '\\$&');
    return `[${isNegated ? '^/' : ''}${letters}]`;
  }
  return special.test(word) ? `\\${word}` : word;
}
