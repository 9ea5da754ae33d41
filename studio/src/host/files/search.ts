import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createContext, Script } from 'node:vm';
import { globsOf } from '../../shared/globs.ts';
import type { SearchMatch, ServiceParams, ServiceResult } from '../../shared/services.ts';
import { textOf } from './texts.ts';
import { listTree } from './tree.ts';

const most = 2_000;
const mostPerLine = 100;
/** Bytes of the largest file that is searched. */
const largest = 1024 * 1024;
/** Characters of a line that are searched. */
const longestLine = 10_000;
const shown = 400;
const longestText = 1_000;
/** Milliseconds that an expression may take for one file, and a search in all. */
const perFile = 500;
const inAll = 10_000;

/**
 * Finds text in the files of a directory, in the order of their paths. Rejects when the expression is wrong or too
 * slow.
 */
export async function searchFiles(
  root: string,
  wanted: ServiceParams<'files.search'>,
): Promise<ServiceResult<'files.search'>> {
  const find = lineSearch(patternOf(wanted));
  const [isIncluded, isExcluded] = [globsOf(wanted.include), globsOf(wanted.exclude)];
  const began = performance.now();
  const matches: SearchMatch[] = [];
  const { entries, truncated } = await listTree(root);
  for (const { path, kind } of entries) {
    if (kind === 'folder' || isIncluded?.(path) === false || isExcluded?.(path) === true) continue;
    if (performance.now() - began > inAll) return { matches, truncated: true };
    const text = await readSmall(join(root, path));
    if (text === undefined) continue;
    const lines = text.split(/\r\n|\r|\n/).map((line) => line.slice(0, longestLine));
    for (const [line, start, end] of find(lines, most - matches.length + 1)) {
      if (matches.length === most) return { matches, truncated: true };
      matches.push({ path, line: line + 1, start, end, text: excerpt(lines[line] as string, start, end) });
    }
  }
  return { matches, truncated };
}

function patternOf({ text, regex, matchCase, wholeWord }: ServiceParams<'files.search'>): RegExp {
  if (text === '' || text.length > longestText) throw new Error(`search for 1 to ${longestText} characters`);
  const source = regex === true ? text : text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  const flags = matchCase === true ? 'gu' : 'giu';
  try {
    const pattern = new RegExp(source, flags);
    if (wholeWord !== true) return pattern;
    return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${source})(?![\\p{L}\\p{N}_])`, flags);
  } catch (error) {
    throw new Error(`this is not a regular expression: ${error instanceof Error ? error.message : String(error)}`);
  }
}

type Found = readonly [line: number, start: number, end: number];

/** An expression may be written so that it takes years; it runs where it can be ended. */
function lineSearch(pattern: RegExp): (lines: readonly string[], most: number) => readonly Found[] {
  const input = { pattern, lines: [] as readonly string[], most: 0, mostPerLine };
  const context = createContext(input);
  const script = new Script(`{
    const found = [];
    for (let line = 0; line < lines.length && found.length < most; line++) {
      pattern.lastIndex = 0;
      for (let n = 0, match; n < mostPerLine && (match = pattern.exec(lines[line])) !== null; n++) {
        if (match[0] === '') pattern.lastIndex++;
        else found.push([line, match.index, match.index + match[0].length]);
      }
    }
    found;
  }`);
  return (lines, most) => {
    Object.assign(context, { lines, most });
    try {
      return script.runInContext(context, { timeout: perFile }) as readonly Found[];
    } catch (error) {
      if ((error as { readonly code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
        throw new Error('this expression takes too long; write it so that it can match in fewer ways');
      throw error;
    }
  };
}

async function readSmall(path: string): Promise<string | undefined> {
  try {
    const found = await stat(path);
    return found.isFile() && found.size <= largest ? textOf(await readFile(path)) : undefined;
  } catch {
    // Deleted meanwhile, or not readable for this person.
    return undefined;
  }
}

/** The line, cut to 400 characters around the match. */
function excerpt(line: string, start: number, end: number): string {
  if (line.length <= shown) return line;
  const from = Math.max(0, Math.min(start - Math.max(0, (shown - (end - start)) >> 1), line.length - shown));
  return line.slice(from, from + shown);
}
