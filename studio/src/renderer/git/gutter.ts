import type { OpenEditor } from '../editor/editors.ts';
import { monaco } from '../project/monaco.ts';
import { type ChangedLines, changedLines } from './changed-lines.ts';
import type { Git } from './git.ts';

/** Quiet milliseconds of typing after which the lines are compared. */
const settle = 150;
/** Characters of a text that is compared while it is written. */
const largest = 1_000_000;

/** Marks the changed lines of an editor beside their numbers. Returns what takes the marks away. */
export function showChangedLines(git: Git, { editor, document }: OpenEditor): () => void {
  const drawn = editor.createDecorationsCollection();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let round = 0;
  const draw = async () => {
    const own = ++round;
    const before = git.state.value === undefined ? undefined : await git.textOf(document.path).catch(() => undefined);
    if (own !== round || document.model.isDisposed()) return;
    // A file that is new is marked in the explorer.
    const isCompared = before !== undefined && Math.max(before.length, document.text.length) <= largest;
    drawn.set(isCompared ? changedLines(before, document.text).map(decoration) : []);
  };
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void draw(), settle);
  };
  const changed = document.model.onDidChangeContent(soon);
  const stop = git.state.subscribe(soon);
  soon();
  return () => {
    round++;
    clearTimeout(timer);
    changed.dispose();
    stop();
    drawn.clear();
  };
}

const words = {
  added: 'Added since the last commit',
  changed: 'Changed since the last commit',
  removed: 'Lines below were removed since the last commit',
};

function decoration({ kind, from, to }: ChangedLines): monaco.editor.IModelDeltaDecoration {
  return {
    range: new monaco.Range(from, 1, to, 1),
    options: {
      isWholeLine: true,
      linesDecorationsClassName: `git-line git-${kind}`,
      linesDecorationsTooltip: words[kind],
    },
  };
}
