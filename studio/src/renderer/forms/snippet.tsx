import { useEffect, useRef } from 'react';
import { revealOffsets } from '../editor/reveal.ts';
import { useStudio } from '../shell/studio.ts';
import { IconButton } from '../shell/window/icon-button.tsx';
import { Section } from '../shell/window/section.tsx';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import { ColouredText } from './coloured.tsx';
import type { Properties, ShownForm } from './properties.ts';

/** Lines of a block that are shown; a longer one is cut there. */
const mostLines = 40;

/** The text that the form edits, with the lines that it changed last. */
export function Snippet({ shown, properties }: { readonly shown: ShownForm; readonly properties: Properties }) {
  const studio = useStudio();
  const changed = useStore(properties.changed);
  const { form, document, text, tokens } = shown;
  const lines = linesOf(text, form.range.start, form.range.end);
  const indent = Math.min(...lines.filter((line) => line.end > line.start).map((line) => line.indent));
  const isChanged = (line: number) => changed?.path === form.file && line >= changed.from && line <= changed.to;
  const list = useRef<HTMLDivElement>(null);
  const firstChanged = lines.findIndex((line) => isChanged(line.number));
  // A long block is shown around what changed in it.
  const from = firstChanged < mostLines ? 0 : firstChanged - (mostLines >> 1);
  const shownLines = lines.slice(from, from + mostLines);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change is brought into view
  useEffect(() => {
    list.current?.querySelector('.cur')?.scrollIntoView({ block: 'nearest' });
  }, [changed, text]);
  const block = text.slice(form.range.start, form.range.end);
  const tools = (
    <>
      <IconButton icon="undo" label="Undo" keys="mod+z" onClick={() => properties.undo()} />
      <IconButton icon="copy" label="Copy" onClick={() => void navigator.clipboard.writeText(block)} />
      <IconButton
        icon="code"
        label="Show in text"
        onClick={() =>
          void revealOffsets(studio, document.path, form.range.start, form.range.start).catch(studio.commands.onFailure)
        }
      />
    </>
  );
  return (
    <Section title="Text" sub={`${form.file.slice(form.file.lastIndexOf('/') + 1)}:${lines[0]?.number}`} tools={tools}>
      <div ref={list} className="snippet mono">
        {from > 0 && <p className="foot">{from} lines before</p>}
        {shownLines.map((line) => (
          <div key={line.number} className={isChanged(line.number) ? 'code-line cur' : 'code-line'}>
            <span className="line-number">{line.number}</span>
            <span className={isChanged(line.number) ? 'change add' : 'change'} />
            <span className="code">
              <ColouredText {...{ text, tokens }} start={Math.min(line.start + indent, line.end)} end={line.end} />
            </span>
          </div>
        ))}
        {lines.length > from + mostLines && <p className="foot">{lines.length - from - mostLines} more lines</p>}
      </div>
      <p className="foot">
        <Icon name="check" />
        Comments and order are kept
      </p>
    </Section>
  );
}

interface Line {
  /** From 1. */
  readonly number: number;
  readonly start: number;
  readonly end: number;
  /** Spaces that it begins with. */
  readonly indent: number;
}

function linesOf(text: string, start: number, end: number): readonly Line[] {
  const lines: Line[] = [];
  let number = text.slice(0, start).split('\n').length;
  let at = text.lastIndexOf('\n', start - 1) + 1;
  while (at <= end) {
    const next = text.indexOf('\n', at);
    const stop = next < 0 ? text.length : next;
    const source = text.slice(at, stop).replace(/\r$/, '');
    lines.push({
      number: number++,
      start: at,
      end: at + source.length,
      indent: source.length - source.trimStart().length,
    });
    if (next < 0) break;
    at = next + 1;
  }
  return lines;
}
