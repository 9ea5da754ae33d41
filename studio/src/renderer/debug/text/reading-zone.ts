import type { Reading } from '@svc/protocol/wire';
import type { OpenEditor } from '../../editor/editors.ts';
import { editorsOf } from '../../editor/editors.ts';
import { monaco } from '../../project/monaco.ts';
import { Store } from '../../state/store.ts';
import { preview } from '../../values/values.ts';
import type { Debugger } from '../debugger.ts';
import type { Inspected } from '../session/inspection.ts';
import { debugOf } from '../session/session.ts';
import type { Thread } from '../session/thread.ts';
import { type Bracket, layReading, placeExpression, type ReadingLayout } from './reading.ts';

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
    const remove = () => {
      const old = zone;
      zone = undefined;
      if (old !== undefined) editor.changeViewZones((zones) => zones.removeZone(old));
    };
    const draw = () => {
      remove();
      const inspected = inspection.state.value;
      const thread = debugOf(studio).model.thread(inspected?.threadId);
      const reading = inspected?.reading;
      if (inspected === undefined || reading === undefined || thread?.rule === undefined || thread.cut) return;
      const place = placeOf(owner, document.path, document.text, thread, reading);
      if (place === undefined) return;
      const layout = layReading(reading, forcedParts(inspected), isUnfolded.value);
      const isFlat = place.columns === undefined || isWrapped(editor, place);
      const drawn = isFlat ? listOf(reading) : bracketsOf(reading, layout, place, editor, thread, isUnfolded);
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
      if (stop === shownStop) return;
      shownStop = stop;
      scrollIntoView(editor, place.line, heightInPx);
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
      editor.onDidLayoutChange(() => centre()),
    ];
    draw();
    return () => {
      for (const each of undo) each();
      for (const each of listeners) each.dispose();
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

/** Columns that so many units of a line take; a tab reaches to the next even one (`tabSize` of the editor). */
function columnsOf(line: string, units: number): number {
  let column = 0;
  for (const unit of line.slice(0, units)) column += unit === '\t' ? 2 - (column % 2) : unit.length > 1 ? 2 : 1;
  return column;
}

function isWrapped(editor: monaco.editor.ICodeEditor, { line }: Place): boolean {
  if (editor.getOption(monaco.editor.EditorOption.wordWrap) === 'off') return false;
  const next = editor.getTopForLineNumber(line) + rowHeight;
  return editor.getBottomForLineNumber(line) > next;
}

function forcedParts({ variables: { forced } }: Inspected): ReadonlySet<string> {
  return new Set(forced.map(({ path: [root = '', ...rest] }) => [root === 'steps' ? 'step' : root, ...rest].join('.')));
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
  let result: { readonly bracket: Bracket; readonly label: HTMLElement } | undefined;
  for (const bracket of brackets) {
    const { start, end, row, kind } = bracket;
    const own = element('div', kind === 'result' ? 'bracket result' : kind === 'error' ? 'bracket failed' : 'bracket');
    own.style.left = `${left(start) + 1}px`;
    own.style.width = `${Math.max(left(end) - left(start) - 2, 2)}px`;
    own.style.top = `${row * rowHeight + 1}px`;
    const label = kind === 'result' ? resultOf(reading, thread, bracket.label) : element('span', '', bracket.label);
    if (kind === 'forced' || kind === 'absent') label.classList.add(kind);
    own.append(label);
    node.append(own);
    if (kind === 'result') result = { bracket, label };
  }
  const unfold = folded > 0 ? unfoldButton(folded, rows, isUnfolded) : undefined;
  if (unfold) node.append(unfold);
  const centre = () => {
    if (result === undefined) return;
    const { contentWidth } = editor.getLayoutInfo();
    const scrolled = editor.getScrollLeft();
    if (unfold) unfold.style.left = `${scrolled + 8}px`;
    const from = Math.max(left(result.bracket.start), scrolled);
    const to = Math.min(left(result.bracket.end), scrolled + contentWidth);
    const start = left(result.bracket.start);
    const isNarrow = result.label.offsetWidth > left(result.bracket.end) - start - 16;
    result.label.classList.toggle('beside', isNarrow);
    result.label.style.left = isNarrow
      ? `${Math.max(left(result.bracket.end), scrolled) - start + 4}px`
      : `${(from + Math.max(to, from + result.label.offsetWidth)) / 2 - start}px`;
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
function listOf(reading: Reading): Drawn {
  const node = element('div', 'reading flat');
  const parts = reading.parts.slice(-4);
  for (const { text, value, error } of parts)
    node.append(
      element(
        'div',
        error ? 'reading-part failed' : 'reading-part',
        `${text.replaceAll(/\s+/g, ' ')} = ${error || preview(value)}`,
      ),
    );
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

function element(name: string, className: string, text = ''): HTMLElement {
  const made = window.document.createElement(name);
  if (className !== '') made.className = className;
  if (text !== '') made.textContent = text;
  return made;
}

/** On a stop the whole reading comes into sight. */
function scrollIntoView(editor: monaco.editor.ICodeEditor, line: number, height: number): void {
  const top = editor.getTopForLineNumber(line);
  const bottom = top + rowHeight + height;
  const { height: room } = editor.getLayoutInfo();
  const scrolled = editor.getScrollTop();
  if (bottom > scrolled + room) editor.setScrollTop(Math.max(0, bottom - room + rowHeight));
  else if (top < scrolled + 2 * rowHeight) editor.setScrollTop(Math.max(0, top - 3 * rowHeight));
}
