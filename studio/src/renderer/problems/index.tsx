import { editorsOf } from '../editor/editors.ts';
import { revealOffsets } from '../editor/reveal.ts';
import type { Studio } from '../shell/studio.ts';
import { Store } from '../state/store.ts';
import { countsOf, inWords, neighbour } from './list.ts';
import { LanguageStatus, ProblemStatus } from './status.tsx';
import { ProblemTools } from './tools.tsx';
import { ProblemsView } from './view.tsx';

/** Milliseconds of quiet before a changed count is said. */
const quiet = 1000;

/** The list of everything that is wrong, below the editor. */
export function contributeProblems(studio: Studio): void {
  const { contributions, commands, language, layout } = studio;
  const editors = editorsOf(studio);
  const count = new Store(0);
  const filter = new Store('');
  language.checked.subscribe(() => count.set(language.checked.value.diagnostics.length));
  contributions.addPanel({
    id: 'problems',
    title: 'Problems',
    order: 10,
    place: 'left',
    view: () => <ProblemsView filter={filter} />,
    tools: () => <ProblemTools filter={filter} />,
    count,
  });
  contributions.addStatus({ id: 'problems', side: 'left', order: 10, view: ProblemStatus });
  contributions.addStatus({ id: 'language', side: 'left', order: 20, view: LanguageStatus });
  const go = async (by: 1 | -1) => {
    const open = editors.active.value;
    const position = open?.editor.getSelection()?.getStartPosition();
    const place = open && position && { path: open.document.path, offset: open.document.model.getOffsetAt(position) };
    const problem = neighbour(language.checked.value.diagnostics, place ?? undefined, by);
    if (problem) await revealOffsets(studio, problem.file, problem.range.start, problem.range.end);
  };
  const hasProblems = () => count.value > 0;
  commands.add(
    {
      id: 'problems.show',
      title: 'View: Problems',
      keys: 'mod+shift+m',
      run: () => layout.showPanel('problems', 'left'),
    },
    { id: 'problems.next', title: 'Go: Next Problem', keys: 'f8', enabled: hasProblems, run: () => go(1) },
    {
      id: 'problems.previous',
      title: 'Go: Previous Problem',
      keys: 'shift+f8',
      enabled: hasProblems,
      run: () => go(-1),
    },
  );
  sayCounts(studio);
}

/** Says how many problems there are once that has changed and typing rests. */
function sayCounts(studio: Studio): void {
  let said = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  const { checked } = studio.language;
  checked.subscribe(() => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const words = inWords(countsOf(checked.value.diagnostics));
      if (words !== said && (said !== '' || words !== 'no problems')) studio.announce(words);
      said = words;
    }, quiet);
  });
}
