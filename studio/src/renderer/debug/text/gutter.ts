import type { OpenEditor } from '../../editor/editors.ts';
import { editorsOf } from '../../editor/editors.ts';
import { monaco } from '../../project/monaco.ts';
import { isTestFile } from '../../project/project.ts';
import { showMenu, toggleAt } from '../breakpoints/at-line.ts';
import type { Mark } from '../breakpoints/breakpoints.ts';
import { shapeOf, spoken } from '../breakpoints/mark-shape.ts';
import type { Debugger } from '../debugger.ts';
import { debugOf } from '../session/session.ts';
import { failuresIn } from './failures.ts';

/** Breakpoints in the glyph margin of every text editor: a click sets or removes one, the shape says what it is. */
export function showGutter(owner: Debugger): void {
  const { studio, stops, flows } = owner;
  const { breakpoints, model } = debugOf(studio);
  editorsOf(studio).extend(({ editor, document }: OpenEditor) => {
    // No flow stops in a test; its margin has marks of its own.
    if (isTestFile(document.path)) return () => undefined;
    const drawn = editor.createDecorationsCollection();
    const hover = editor.createDecorationsCollection();
    let last: readonly unknown[] = [];
    const draw = () => {
      const { current } = model;
      const { marks, isMuted } = breakpoints;
      const at = current?.isPaused ? `${current.id} ${current.stop}` : '';
      const failed = failuresIn(owner, document.path).map(({ thread }) => thread.id);
      const known = [failed.join(' '), marks.value, isMuted.value, stops.all.value, flows.outline.value, at];
      // Every event of any thread comes by here.
      if (known.every((each, index) => each === last[index])) return;
      last = known;
      drawn.set(decorations(owner, document.path));
    };
    const undo = [
      breakpoints.marks.subscribe(draw),
      breakpoints.isMuted.subscribe(draw),
      stops.all.subscribe(draw),
      flows.outline.subscribe(draw),
      model.focused.subscribe(draw),
      model.state.subscribe(draw),
    ];
    draw();
    const pressed = editor.onMouseDown(({ target, event }) => {
      if (!isMargin(target)) return;
      const { lineNumber } = target.position;
      if (event.leftButton)
        void stops.refresh().then(() => toggleAt(studio, stops, document.path, lineNumber), studio.commands.onFailure);
      else if (event.rightButton) showMenu(owner, document.path, lineNumber, event.posx, event.posy);
    });
    const moved = editor.onMouseMove(({ target }) => {
      const line = isMargin(target) ? target.position.lineNumber : undefined;
      // One that is set looks set, also under the pointer.
      const isSet = [...breakpoints.marks.value.values()].some((mark) => {
        const stop = stops.find(mark);
        return stop?.file === document.path && stop.line === line;
      });
      hover.set(line === undefined || isSet ? [] : [hint(line)]);
    });
    const left = editor.onMouseLeave(() => hover.clear());
    return () => {
      for (const each of [pressed, moved, left]) each.dispose();
      for (const each of undo) each();
    };
  });
}

function isMargin(
  target: monaco.editor.IMouseTarget,
): target is monaco.editor.IMouseTarget & { readonly position: monaco.Position } {
  return target.type === monaco.editor.MouseTargetType.GUTTER_GLYPH_MARGIN && target.position !== null;
}

function decorations(owner: Debugger, path: string): monaco.editor.IModelDeltaDecoration[] {
  const { stops, studio } = owner;
  const { model, breakpoints } = debugOf(studio);
  const drawn: monaco.editor.IModelDeltaDecoration[] = [];
  const { current } = model;
  const here = current?.isPaused ? owner.lineOf(current) : undefined;
  const lines = new Map<number, Mark>();
  for (const mark of breakpoints.marks.value.values()) {
    const stop = stops.find(mark);
    // One of several flows that share the text may not have it in the running version.
    if (stop?.file === path && (mark.verified !== false || !lines.has(stop.line))) lines.set(stop.line, mark);
  }
  for (const [line, mark] of lines) {
    const isHere = here?.file === path && here.line === line;
    const shape = isHere ? 'breakpoint-here' : shapeOf(mark, breakpoints.isMuted.value);
    drawn.push(glyph(line, shape, spoken(mark)));
  }
  for (const { line } of failuresIn(owner, path)) {
    // Gold is stronger: a thread that is stopped there waits.
    if (here?.file === path && here.line === line) continue;
    if (!lines.has(line)) drawn.push(glyph(line, 'failed-here', 'The newest run failed here'));
    drawn.push({
      range: new monaco.Range(line, 1, line, 1),
      options: { isWholeLine: true, className: 'failed-line', lineNumberClassName: 'failed-number' },
    });
  }
  if (here?.file === path) {
    if (!lines.has(here.line)) drawn.push(glyph(here.line, 'stopped-here', 'Paused here'));
    drawn.push({
      range: new monaco.Range(here.line, 1, here.line, 1),
      options: {
        isWholeLine: true,
        className: 'paused-line',
        marginClassName: 'paused-margin',
        lineNumberClassName: 'paused-number',
        overviewRuler: { color: pausedColour(), position: monaco.editor.OverviewRulerLane.Full },
      },
    });
  }
  return drawn;
}

/** The ruler is painted, not styled: it takes the colour itself. */
function pausedColour(): string {
  return getComputedStyle(window.document.documentElement).getPropertyValue('--paused-fill').trim();
}

function glyph(line: number, shape: string, text: string): monaco.editor.IModelDeltaDecoration {
  return {
    range: new monaco.Range(line, 1, line, 1),
    options: {
      glyphMarginClassName: `breakpoint-glyph ${shape}`,
      glyphMarginHoverMessage: { value: text },
      stickiness: monaco.editor.TrackedRangeStickiness.NeverGrowsWhenTypingAtEdges,
    },
  };
}

function hint(line: number): monaco.editor.IModelDeltaDecoration {
  return {
    range: new monaco.Range(line, 1, line, 1),
    options: { glyphMarginClassName: 'breakpoint-glyph breakpoint-hint' },
  };
}
