import type { Reading } from '@svc/protocol/wire';
import type { OpenEditor } from '../../editor/editors.ts';
import { editorsOf } from '../../editor/editors.ts';
import { monaco } from '../../project/monaco.ts';
import { Store } from '../../state/store.ts';
import { iconShapes } from '../../theme/icon-shapes.ts';
import { preview } from '../../values/values.ts';
import type { Debugger } from '../debugger.ts';
import { forcedByText } from '../session/forced.ts';
import { debugOf } from '../session/session.ts';
import type { Thread } from '../session/thread.ts';
import { columnsOf } from './columns.ts';
import { layReading, placeExpression, placeLabel, type ReadingLayout } from './reading.ts';

const rowHeight = 20;

/** Where the rule of a paused thread is in a text, in columns of its line. */
interface Place {
  readonly line: number;
  /** Column from 0 of each unit of the expression; undefined where it is not written on one line. */
  readonly columns: readonly number[] | undefined;
}

/**
 * The reading: under the rule that a thread is paused before, each part of its expression with its value, from a
 * bracket of the part's own width. It goes when the thread does.
 */
export function showReading(owner: Debugger): void {
  const { studio, inspection, flows } = owner;
  editorsOf(studio).extend(({ editor, document }: OpenEditor) => {
    const isUnfolded = new Store(false);
    let zone: string | undefined;
    let shownStop = '';
    let centre: () => void = () => undefined;
    /** What is kept in view until the person does something in the editor, such as scrolling. */
    let kept: { readonly line: number; readonly height: number } | undefined;
    const show = () => kept && scrollIntoView(editor, kept.line, kept.height);
    const forget = () => {
      kept = undefined;
    };
    const container = editor.getContainerDomNode();
    const acts = ['wheel', 'pointerdown', 'keydown'] as const;
    for (const act of acts) container.addEventListener(act, forget, { capture: true, passive: true });
    const remove = () => {
      kept = undefined;
      const old = zone;
      zone = undefined;
      if (old !== undefined) editor.changeViewZones((zones) => zones.removeZone(old));
    };
    const draw = () => {
      const wasKept = kept !== undefined;
      remove();
      const inspected = inspection.state.value;
      const thread = debugOf(studio).model.thread(inspected?.threadId);
      const reading = inspected?.reading;
      if (inspected === undefined || reading === undefined || thread?.rule === undefined || thread.cut) return;
      const place = placeOf(owner, document.path, document.text, thread, reading);
      if (place === undefined) return;
      const forcedParts = new Set(forcedByText(inspected.variables).keys());
      const layout = layReading(reading, forcedParts, isUnfolded.value);
      const isFlat = place.columns === undefined || isWrapped(editor, place);
      const drawn = isFlat
        ? listOf(reading, forcedParts)
        : bracketsOf(reading, layout, place, editor, thread, isUnfolded);
      const margin = window.document.createElement('div');
      margin.className = 'reading-margin';
      const heightInPx = drawn.rows * rowHeight + 4;
      editor.changeViewZones((zones) => {
        zone = zones.addZone({
          afterLineNumber: place.line,
          heightInPx,
          domNode: drawn.node,
          marginDomNode: margin,
          suppressMouseDown: true,
        });
      });
      centre = drawn.centre;
      // Widths are known once the zone is in the document.
      requestAnimationFrame(() => centre());
      const stop = `${inspected.threadId} ${inspected.stop}`;
      if (stop === shownStop && !wasKept) return;
      shownStop = stop;
      kept = { line: place.line, height: heightInPx };
      show();
    };
    const undo = [
      inspection.state.subscribe(() => {
        isUnfolded.set(false);
        draw();
      }),
      flows.outline.subscribe(draw),
      isUnfolded.subscribe(draw),
    ];
    const listeners = [
      editor.onDidChangeConfiguration(draw),
      editor.onDidScrollChange(() => centre()),
      // A window or a panel that takes room must not take the reading.
      editor.onDidLayoutChange(() => {
        show();
        centre();
      }),
    ];
    draw();
    return () => {
      for (const each of undo) each();
      for (const each of listeners) each.dispose();
      for (const act of acts) container.removeEventListener(act, forget, { capture: true });
    };
  });
}

const nowhere = { file: undefined, start: 0, end: 0 };

function placeOf(
  owner: Debugger,
  path: string,
  text: string,
  thread: Thread,
  { expression }: Reading,
): Place | undefined {
  const { flow, stage, name, rule } = thread;
  const written = rule && owner.flows.rule(flow, stage, name, rule);
  // What is written outside of the flow, such as an aspect, is not part of its outline.
  const { file, start, end } = written ? { file: written.file, ...written.range } : (owner.stopOf(thread) ?? nowhere);
  if (file !== path) return undefined;
  const places = placeExpression(text.slice(start, end), expression);
  if (places === undefined) return undefined;
  const from = start + (places[0] as number);
  const to = start + (places.at(-1) as number);
  const lineStart = text.lastIndexOf('\n', from - 1) + 1;
  const isOneLine = !text.slice(from, to).includes('\n');
  const line = text.slice(0, to).split('\n').length;
  if (!isOneLine) return { line, columns: undefined };
  const before = text.slice(lineStart, to);
  return { line, columns: places.map((at) => columnsOf(before, start + at - lineStart)) };
}

function isWrapped(editor: monaco.editor.ICodeEditor, { line }: Place): boolean {
  if (editor.getOption(monaco.editor.EditorOption.wordWrap) === 'off') return false;
  const next = editor.getTopForLineNumber(line) + rowHeight;
  return editor.getBottomForLineNumber(line) > next;
}

interface Drawn {
  readonly node: HTMLElement;
  readonly rows: number;
  /** Keeps the result in sight while the text scrolls sideways. */
  readonly centre: () => void;
}

function bracketsOf(
  reading: Reading,
  { brackets, rows, folded }: ReadingLayout,
  { columns = [] }: Place,
  editor: monaco.editor.ICodeEditor,
  thread: Thread,
  isUnfolded: Store<boolean>,
): Drawn {
  const { typicalHalfwidthCharacterWidth: width } = editor.getOption(monaco.editor.EditorOption.fontInfo);
  const node = groupOf(thread);
  const left = (unit: number) => (columns[unit] as number) * width;
  const labels: { readonly from: number; readonly to: number; readonly label: HTMLElement; isResult: boolean }[] = [];
  for (const bracket of brackets) {
    const { start, end, row, kind } = bracket;
    const own = element('div', kind === 'result' ? 'bracket result' : kind === 'error' ? 'bracket failed' : 'bracket');
    own.style.left = `${left(start) + 1}px`;
    own.style.width = `${Math.max(left(end) - left(start) - 2, 2)}px`;
    own.style.top = `${row * rowHeight + 1}px`;
    const label = kind === 'result' ? resultOf(reading, thread, bracket.label) : element('span', '', bracket.label);
    if (kind === 'forced' || kind === 'absent') label.classList.add(kind);
    if (kind === 'forced') label.append(hand());
    own.append(label);
    node.append(own);
    labels.push({ from: left(start), to: left(end), label, isResult: kind === 'result' });
  }
  const unfold = folded > 0 ? unfoldButton(folded, rows, isUnfolded) : undefined;
  if (unfold) node.append(unfold);
  const centre = () => {
    const { contentWidth } = editor.getLayoutInfo();
    const scrolled = editor.getScrollLeft();
    if (unfold) unfold.style.left = `${scrolled + 8}px`;
    // All are measured before any is moved, so that the page is laid out once.
    const places = labels.map(({ from, to, label, isResult }) =>
      placeLabel({ from, to, width: label.offsetWidth, isResult }, { from: scrolled, to: scrolled + contentWidth }),
    );
    for (const [index, { isBeside, at }] of places.entries()) {
      const { label, from } = labels[index] as (typeof labels)[number];
      label.classList.toggle('beside', isBeside);
      label.style.left = `${at - from}px`;
    }
  };
  return { node, rows, centre };
}

function unfoldButton(folded: number, rows: number, isUnfolded: Store<boolean>): HTMLElement {
  const button = element('button', 'reading-unfold', `${folded} inner`);
  button.setAttribute('type', 'button');
  button.setAttribute('aria-label', `Show ${folded} inner values`);
  button.style.top = `${(rows - 1) * rowHeight}px`;
  // The editor would take the press for the beginning of a selection.
  for (const press of ['pointerdown', 'mousedown']) button.addEventListener(press, (event) => event.stopPropagation());
  button.addEventListener('click', () => isUnfolded.set(true));
  return button;
}

/** For what is not written on one line: the parts and their values below each other. */
function listOf(reading: Reading, forced: ReadonlySet<string>): Drawn {
  const node = element('div', 'reading flat');
  const parts = reading.parts.slice(-4);
  for (const { text, value, error } of parts) {
    const isForced = forced.has(text);
    const written = `${text.replaceAll(/\s+/g, ' ')} = `;
    const line = element('div', error ? 'reading-part failed' : 'reading-part', written);
    line.append(element('span', isForced ? 'forced' : '', error || preview(value)));
    if (isForced) line.append(hand());
    node.append(line);
  }
  const { result } = reading;
  node.append(
    element('div', 'reading-part result', `would be ${result.error || preview(result.value)} ${result.type}`),
  );
  return { node, rows: parts.length + 1, centre: () => undefined };
}

function groupOf({ rule }: Thread): HTMLElement {
  const node = element('div', 'reading');
  node.setAttribute('role', 'group');
  node.setAttribute('aria-label', `Values inside rule ${rule?.target}`);
  return node;
}

function resultOf({ result: { type, error } }: Reading, { rule }: Thread, label: string): HTMLElement {
  const own = element('span', error ? 'failed' : '');
  own.append(
    element('small', '', `${rule?.target} ${error ? 'would fail:' : 'would be'}`),
    label,
    element('small', '', type),
  );
  return own;
}

/** Says that a person set the value. */
function hand(): SVGElement {
  const made = window.document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  made.setAttribute('class', 'icon');
  made.setAttribute('viewBox', '0 0 16 16');
  made.setAttribute('role', 'img');
  made.setAttribute('aria-label', 'forced');
  made.innerHTML = iconShapes.hand;
  return made;
}

function element(name: string, className: string, text = ''): HTMLElement {
  const made = window.document.createElement(name);
  if (className !== '') made.className = className;
  if (text !== '') made.textContent = text;
  return made;
}

/** Lines of the heads that stay at the top of an editor, over its text. */
function stickyRows(editor: monaco.editor.ICodeEditor): number {
  const { enabled, maxLineCount } = editor.getOption(monaco.editor.EditorOption.stickyScroll);
  return enabled ? maxLineCount : 0;
}

/** On a stop the whole reading comes into sight. */
function scrollIntoView(editor: monaco.editor.ICodeEditor, line: number, height: number): void {
  const top = editor.getTopForLineNumber(line);
  const bottom = top + rowHeight + height;
  const { height: room, horizontalScrollbarHeight } = editor.getLayoutInfo();
  const scrolled = editor.getScrollTop();
  // From here on all of it is above the lower edge, and up to there its line is below the heads at the top.
  const least = bottom - room + horizontalScrollbarHeight;
  const most = Math.max(0, top - stickyRows(editor) * rowHeight);
  if (scrolled < least) editor.setScrollTop(Math.min(least + rowHeight, most));
  else if (scrolled > most) editor.setScrollTop(Math.max(0, most - rowHeight, least));
}
