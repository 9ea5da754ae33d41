import { stopsOf } from '../debug/breakpoints/stops.ts';
import { editorsOf, type OpenEditor } from '../editor/editors.ts';
import { monaco } from '../project/monaco.ts';
import { isTestFile } from '../project/project.ts';
import type { Studio } from '../shell/studio.ts';
import type { TestActions } from './actions.ts';
import { best, coverageOf, type Reached } from './coverage.ts';
import { looks } from './look.ts';
import { verdictOf } from './results.ts';
import { testsOf } from './test-runs.ts';

/** In texts: a mark at each test, which a click runs and whose menu debugs it; in flows what tests reached. */
export function markTexts(studio: Studio, actions: TestActions): void {
  editorsOf(studio).extend((open) =>
    isTestFile(open.document.path) ? markTests(studio, actions, open) : markCoverage(studio, open),
  );
}

function markTests(studio: Studio, actions: TestActions, { editor, document }: OpenEditor): () => void {
  const runs = testsOf(studio);
  const drawn = editor.createDecorationsCollection();
  const own = () => runs.catalog.tests.value.filter(({ file }) => file === document.path);
  const lineOf = (start: number) => document.model.getPositionAt(start).lineNumber;
  const draw = () =>
    drawn.set(
      own().map(({ id, name, start }) => {
        const verdict = verdictOf(runs.stateOf(id));
        const line = lineOf(start);
        return {
          range: new monaco.Range(line, 1, line, 1),
          options: {
            glyphMarginClassName: `test-glyph test-${verdict}`,
            glyphMarginHoverMessage: { value: `${looks[verdict].label}: click to run, right click for more` },
            stickiness: monaco.editor.TrackedRangeStickiness.NeverGrowsWhenTypingAtEdges,
            description: `test ${name}`,
          },
        };
      }),
    );
  const undo = [runs.catalog.tests.subscribe(draw), runs.states.subscribe(draw)];
  draw();
  const pressed = editor.onMouseDown(({ target, event }) => {
    if (target.type !== monaco.editor.MouseTargetType.GUTTER_GLYPH_MARGIN || target.position === null) return;
    const { lineNumber } = target.position;
    const test = own().find(({ start }) => lineOf(start) === lineNumber);
    if (test === undefined) return;
    if (event.leftButton) actions.run([test]);
    else studio.menus.show({ label: test.name, x: event.posx, y: event.posy, items: actions.menuOf(test) });
  });
  return () => {
    pressed.dispose();
    for (const each of undo) each();
  };
}

function markCoverage(studio: Studio, { editor, document }: OpenEditor): () => void {
  const coverage = coverageOf(studio);
  const stops = stopsOf(studio);
  const drawn = editor.createDecorationsCollection();
  const draw = () => {
    const lines = new Map<number, Reached>();
    if (coverage.places.value.size > 0)
      for (const { flow, stage, name, ruleIndex, line } of stops.of(document.path)) {
        const reached = coverage.of(flow, stage, name, ruleIndex);
        if (reached !== undefined) lines.set(line, best(lines.get(line), reached));
      }
    drawn.set(
      [...lines].map(([line, { reach, detail }]) => ({
        range: new monaco.Range(line, 1, line, 1),
        options: {
          linesDecorationsClassName: `coverage-bar coverage-${reach}`,
          linesDecorationsTooltip: detail,
          stickiness: monaco.editor.TrackedRangeStickiness.NeverGrowsWhenTypingAtEdges,
          description: `coverage ${reach}`,
        },
      })),
    );
  };
  const undo = [coverage.places.subscribe(draw), stops.all.subscribe(draw)];
  draw();
  return () => {
    for (const each of undo) each();
  };
}
