import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { shownChord } from '../shell/keys.ts';
import { useStudio } from '../shell/studio.ts';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import type { PaletteItem, PaletteSource } from './palette.ts';
import { paletteOf } from './palette.ts';
import { type RankedItem, rankItems } from './ranking.ts';

/** Lines that are drawn at most; who wants more types more. */
const mostShown = 200;

interface Answer {
  readonly source: PaletteSource;
  readonly query: string;
  readonly lines: readonly RankedItem[];
}

export function PaletteOverlay() {
  const palette = paletteOf(useStudio());
  const open = useStore(palette.open);
  return open && <PaletteBox key={open.only?.placeholder ?? open.text} first={open.text} />;
}

function PaletteBox({ first }: { readonly first: string }) {
  const studio = useStudio();
  const { commands } = studio;
  const palette = paletteOf(studio);
  const [text, setText] = useState(first);
  const [answer, setAnswer] = useState<Answer>();
  const [active, setActive] = useState(0);
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const chosen = useRef(false);
  const lines = answer?.lines ?? [];

  useEffect(() => {
    const asked = palette.ask(text);
    if (asked === undefined) return;
    const { source, query } = asked;
    const { signal, abort } = aborting();
    Promise.resolve(source.items(query, signal)).then(
      (items) => {
        if (signal.aborted) return;
        const ranked = source.isFiltered ? items.map((item) => ({ item, places: [] })) : rankItems(query, items);
        setAnswer({ source, query, lines: ranked.slice(0, mostShown) });
        setActive(0);
      },
      (error: unknown) => signal.aborted || commands.onFailure(error),
    );
    return abort;
  }, [text, palette, commands]);
  useEffect(() => {
    const before = document.activeElement;
    const input = box.current?.querySelector('input');
    input?.focus();
    return () => {
      if (before instanceof HTMLElement && (document.activeElement === document.body || !document.activeElement))
        before.focus();
    };
  }, []);
  useEffect(() => {
    const away = (event: PointerEvent) => box.current?.contains(event.target as Node) || palette.close();
    window.addEventListener('pointerdown', away, { capture: true });
    return () => window.removeEventListener('pointerdown', away, { capture: true });
  }, [palette]);
  useEffect(() => {
    box.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
    if (text !== first || active > 0) lines[active]?.item.preview?.();
  }, [active, lines, text, first]);
  const restore = answer?.source.restore;
  useEffect(() => () => void (chosen.current || restore?.()), [restore]);

  const choose = (item: PaletteItem | undefined) => {
    if (item === undefined) return;
    chosen.current = true;
    palette.close();
    Promise.resolve(item.run()).catch(commands.onFailure);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const page = 10;
    const last = lines.length - 1;
    const to = {
      ArrowDown: active === last ? 0 : active + 1,
      ArrowUp: active === 0 ? last : active - 1,
      PageDown: Math.min(last, active + page),
      PageUp: Math.max(0, active - page),
    }[event.key];
    if (to !== undefined) setActive(Math.max(0, to));
    else if (event.key === 'Enter') choose(lines[active]?.item);
    else if (event.key === 'Escape') palette.close();
    else if (event.key !== 'Tab') return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div ref={box} className="palette popover" role="dialog" aria-label="Go to, search, run">
      <div className="palette-field">
        <Icon name="search" />
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={lines[active] && `${id}-${active}`}
          aria-label={answer?.source.placeholder ?? 'Go to, search, run'}
          placeholder={answer?.source.placeholder}
          value={text}
          spellCheck={false}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <div id={id} className="palette-list" role="listbox" aria-label="Results">
        {lines.map(({ item, places }, index) => (
          <Line
            key={item.id}
            id={`${id}-${index}`}
            shown={{ item, places }}
            isActive={index === active}
            heading={answer?.query === '' && item.group !== lines[index - 1]?.item.group ? item.group : undefined}
            onActive={() => setActive(index)}
            onChoose={() => choose(item)}
          />
        ))}
      </div>
      {answer && lines.length === 0 && <p className="palette-nothing">{answer.source.nothing}</p>}
      <span className="visually-hidden" role="status">
        {answer && `${lines.length} results`}
      </span>
    </div>
  );
}

interface LineProps {
  readonly id: string;
  readonly shown: RankedItem;
  readonly isActive: boolean;
  readonly heading: string | undefined;
  readonly onActive: () => void;
  readonly onChoose: () => void;
}

function Line({ id, shown: { item, places }, isActive, heading, onActive, onChoose }: LineProps) {
  const { bridge } = useStudio();
  const { title, detail, icon, keys } = item;
  return (
    <>
      {heading !== undefined && (
        <div className="palette-group" role="presentation">
          {heading}
        </div>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus */}
      <div
        id={id}
        role="option"
        aria-selected={isActive}
        className={isActive ? 'palette-item active' : 'palette-item'}
        onPointerMove={onActive}
        onClick={onChoose}
      >
        {icon && <Icon name={icon.name} className={icon.className} />}
        <span className="ellipsis">{marked(title, places)}</span>
        {detail !== undefined && (
          <span className="detail ellipsis">
            {marked(
              detail,
              places.map((place) => place - title.length - 1),
            )}
          </span>
        )}
        <span className="grow" />
        {keys !== undefined && <kbd>{shownChord(keys, bridge.operatingSystem)}</kbd>}
      </div>
    </>
  );
}

/** A text with the letters at some places marked. */
function marked(text: string, places: readonly number[]): ReactNode {
  const inside = new Set(places.filter((place) => place >= 0 && place < text.length));
  if (inside.size === 0) return text;
  const runs: { text: string; isMarked: boolean }[] = [];
  for (let at = 0; at < text.length; at++) {
    const isMarked = inside.has(at);
    const run = runs.at(-1);
    if (run?.isMarked === isMarked) run.text += text[at];
    else runs.push({ text: text[at] as string, isMarked });
  }
  // biome-ignore lint/suspicious/noArrayIndexKey: runs are known by their place
  return runs.map((run, index) => (run.isMarked ? <mark key={index}>{run.text}</mark> : run.text));
}

function aborting() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
