import type { TextEdit } from '@svc/protocol/text';
import type { Project } from '../project/project.ts';
import { tellJointEdit } from '../shell/joint-notice.ts';
import type { Studio } from '../shell/studio.ts';
import { type FindingState, patternOf, type SearchOptions } from './finding.ts';

/** Files that one replacement changes; each of them is opened. */
const mostFiles = 200;

/**
 * The edits that replace every match of a text. In the replacement of an expression `$1` is its first group, `$&` the match;
 * any other replacement is taken as it is.
 */
export function replacementsIn(text: string, options: SearchOptions, replacement: string): readonly TextEdit[] {
  const pattern = patternOf(options);
  const edits: TextEdit[] = [];
  for (const { 0: line, index: from } of text.matchAll(/[^\r\n]+/g))
    for (const match of line.matchAll(pattern)) {
      if (match[0] === '') continue;
      const start = from + match.index;
      edits.push({
        range: { start, end: start + match[0].length },
        text: options.regex ? expanded(replacement, match) : replacement,
      });
    }
  return edits;
}

function expanded(replacement: string, match: RegExpExecArray): string {
  return replacement.replace(/\$(\$|&|\d{1,2})/g, (whole, name: string) => {
    if (name === '$') return '$';
    if (name === '&') return match[0];
    // A group that the expression does not have is text.
    return Number(name) < match.length ? (match[Number(name)] ?? '') : whole;
  });
}

/** Why what was found cannot be replaced; undefined when it can. */
export function whyNotReplaced({ options, count, files, truncated, isBusy }: FindingState): string | undefined {
  if (options === undefined || isBusy || count === 0) return 'Nothing is found yet.';
  if (truncated) return 'There are more matches than are shown. Search for less first.';
  if (files.length > mostFiles) return `It would change more than ${mostFiles} files. Name fewer of them first.`;
  return undefined;
}

/** Replaces everything that was found, as one step of undo and unsaved; files that no longer hold it stay as they are. */
export async function replaceAll(studio: Studio, state: FindingState, replacement: string): Promise<void> {
  const refusal = whyNotReplaced(state);
  const { options } = state;
  if (refusal !== undefined || options === undefined) throw new Error(refusal);
  const changes = await Promise.all(
    state.files.map(({ path }) => changeOf(studio.project, path, options, replacement)),
  );
  const edit = await studio.project.apply(changes);
  tellJointEdit(studio, `Replaced ${state.count === 1 ? '1 match' : `${state.count} matches`}`, edit);
}

async function changeOf(project: Project, path: string, options: SearchOptions, replacement: string) {
  const { text } = await project.open(path);
  return { file: path, edits: replacementsIn(text, options, replacement) };
}
