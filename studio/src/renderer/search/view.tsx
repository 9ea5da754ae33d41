import { type CSSProperties, type KeyboardEvent, useRef, useState } from 'react';
import type { SearchMatch } from '../../shared/services.ts';
import { revealLine } from '../editor/reveal.ts';
import { fileLooksOf } from '../explorer/file-looks.ts';
import { count } from '../shell/count.ts';
import { useStudio } from '../shell/studio.ts';
import { EmptyState } from '../shell/window/empty-state.tsx';
import { Section } from '../shell/window/section.tsx';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import { type Finding, type FoundFile, partsOfLine, type SearchOptions } from './finding.ts';
import { replaceAll, whyNotReplaced } from './replacing.ts';

/** Makes the view that finds text in files. */
export function searchView(finding: Finding) {
  return function SearchView() {
    const { project } = useStudio();
    const info = useStore(project.info);
    return (
      <Section title="Search" sub={info?.name} fill>
        {info === undefined ? (
          <EmptyState acts={[['project.open', 'Open folder']]} line="svc studio ./orders">
            Open a folder to search its files.
          </EmptyState>
        ) : (
          <>
            <SearchField finding={finding} />
            <ReplaceField finding={finding} />
            <PathField finding={finding} of="include" label="Files to include" placeholder="flows/**, *.sql" />
            <PathField finding={finding} of="exclude" label="Files to exclude" placeholder="tests, mocks" />
            <Results finding={finding} />
          </>
        )}
      </Section>
    );
  };
}

function SearchField({ finding }: { readonly finding: Finding }) {
  const options = useStore(finding.options);
  const { refusal } = useStore(finding.state);
  return (
    <div className={refusal === undefined ? 'search search-box' : 'search search-box bad'}>
      <input
        id="search-text"
        className="grow"
        type="text"
        placeholder="Search"
        aria-label="Search in files"
        aria-invalid={refusal !== undefined}
        spellCheck={false}
        value={options.text}
        onChange={({ target }) => finding.options.patch({ text: target.value })}
        onKeyDown={({ key }) => key === 'Enter' && void finding.search()}
      />
      <OptionButton finding={finding} of="matchCase" text="Aa" label="Match case" />
      <OptionButton finding={finding} of="wholeWord" text="ab|" label="Whole word" />
      <OptionButton finding={finding} of="regex" text=".*" label="Regular expression" />
    </div>
  );
}

/** What takes the place of everything that is found. */
function ReplaceField({ finding }: { readonly finding: Finding }) {
  const studio = useStudio();
  const state = useStore(finding.state);
  const [replacement, setReplacement] = useState('');
  const reason = whyNotReplaced(state);
  const replace = () =>
    void replaceAll(studio, state, replacement).then(() => finding.search(), studio.commands.onFailure);
  return (
    <div className="search search-box">
      <input
        className="grow"
        type="text"
        placeholder="Replace with"
        aria-label="Replace with"
        spellCheck={false}
        value={replacement}
        onChange={({ target }) => setReplacement(target.value)}
        onKeyDown={({ key }) => key === 'Enter' && reason === undefined && replace()}
      />
      <button
        type="button"
        className="button"
        disabled={reason !== undefined}
        title={reason ?? 'Changes the texts; they are saved by you. One undo takes all of it back'}
        onClick={replace}
      >
        {reason === undefined ? `Replace ${state.count}` : 'Replace'}
      </button>
    </div>
  );
}

interface PathFieldProps {
  readonly finding: Finding;
  readonly of: 'include' | 'exclude';
  readonly label: string;
  readonly placeholder: string;
}

function PathField({ finding, of, label, placeholder }: PathFieldProps) {
  const value = useStore(finding.options, (options) => options[of] ?? '');
  return (
    <label className="search search-path">
      <span className="faint">{of}</span>
      <input
        className="grow mono"
        type="text"
        aria-label={label}
        placeholder={placeholder}
        spellCheck={false}
        value={value}
        onChange={({ target }) => finding.options.patch({ [of]: target.value })}
      />
    </label>
  );
}

interface OptionButtonProps {
  readonly finding: Finding;
  readonly of: 'matchCase' | 'wholeWord' | 'regex';
  readonly text: string;
  readonly label: string;
}

function OptionButton({ finding, of, text, label }: OptionButtonProps) {
  const isOn = useStore(finding.options, (options) => options[of]);
  return (
    <button
      type="button"
      className={isOn ? 'search-option on mono' : 'search-option mono'}
      aria-pressed={isOn}
      aria-label={label}
      title={label}
      data-text={text}
      onClick={() => finding.options.patch({ [of]: !isOn })}
    />
  );
}

function Results({ finding }: { readonly finding: Finding }) {
  const { files, count: total, truncated, refusal, options, isBusy } = useStore(finding.state);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const list = useRef<HTMLDivElement>(null);
  const flip = (path: string) =>
    setClosed((all) => new Set(all.has(path) ? [...all].filter((each) => each !== path) : [...all, path]));
  const onKeyDown = (event: KeyboardEvent) => {
    const rows = [...(list.current?.querySelectorAll<HTMLElement>('[role="treeitem"]') ?? [])];
    const at = rows.indexOf(document.activeElement as HTMLElement);
    const row = rows[at];
    const file = row?.dataset['file'];
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (to !== undefined) rows[to]?.focus();
    else if (event.key === 'Enter' || event.key === ' ') row?.click();
    else if (file !== undefined && event.key === (closed.has(file) ? 'ArrowRight' : 'ArrowLeft')) flip(file);
    else return;
    event.preventDefault();
  };
  if (refusal !== undefined)
    return (
      <p className="search-said error ink" role="alert">
        {refusal}
      </p>
    );
  if (options === undefined)
    return (
      <div className="empty search-empty">
        <p>Type what to find. What is not saved yet is searched too.</p>
      </div>
    );
  return (
    <>
      <p className="search-said faint" role="status">
        {total === 0 && !isBusy
          ? 'Nothing found.'
          : `${count(total, 'match').replace('matchs', 'matches')} in ${count(files.length, 'file')}`}
        {truncated && '; there are more, type more to find them'}
      </p>
      <div ref={list} className="file-tree" role="tree" aria-label="Matches" onKeyDown={onKeyDown}>
        {files.map((file, index) => (
          <FileMatches
            key={file.path}
            file={file}
            options={options}
            isOpen={!closed.has(file.path)}
            isFirst={index === 0}
            onFlip={() => flip(file.path)}
          />
        ))}
      </div>
    </>
  );
}

interface FileMatchesProps {
  readonly file: FoundFile;
  readonly options: SearchOptions;
  readonly isOpen: boolean;
  readonly isFirst: boolean;
  readonly onFlip: () => void;
}

function FileMatches({ file: { path, matches }, options, isOpen, isFirst, onFlip }: FileMatchesProps) {
  const fileLooks = fileLooksOf(useStudio());
  const look = useStore(fileLooks.byContent, () => fileLooks.of(path));
  const slash = path.lastIndexOf('/');
  return (
    <>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the tree around it takes the keys */}
      <div
        className="row"
        role="treeitem"
        aria-level={1}
        aria-expanded={isOpen}
        data-file={path}
        tabIndex={isFirst ? 0 : -1}
        title={path}
        onClick={onFlip}
      >
        <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} size="small" />
        <Icon name={look.name} className={`type-icon ${look.className ?? ''}`} />
        <span className="name">
          {path.slice(slash + 1)} {slash > 0 && <span className="faint">{path.slice(0, slash)}</span>}
        </span>
        <span className="meta">
          <span className="count">{matches.length}</span> <span className="visually-hidden">matches</span>
        </span>
      </div>
      {isOpen &&
        matches.map((match) => <MatchRow key={`${match.line}:${match.start}`} match={match} options={options} />)}
    </>
  );
}

function MatchRow({ match, options }: { readonly match: SearchMatch; readonly options: SearchOptions }) {
  const studio = useStudio();
  const { path, line, start, end } = match;
  const [before, found, behind] = partsOfLine(match, options);
  const open = () => revealLine(studio, path, line, start, end).catch(studio.commands.onFailure);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree around it takes the keys
    <div
      className="row search-line"
      style={{ '--d': 1 } as CSSProperties}
      role="treeitem"
      aria-level={2}
      tabIndex={-1}
      title={`Line ${line}`}
      onClick={open}
    >
      <span className="lead" />
      <span className="mono ellipsis">
        {before.length > 20 ? `\u2026${before.slice(-16)}` : before}
        <mark>{found}</mark>
        {behind}
      </span>
      <span className="meta numeric">{line}</span>
    </div>
  );
}
