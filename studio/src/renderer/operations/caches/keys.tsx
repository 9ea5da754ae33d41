import type { CacheEntry, FlowCache, KeptKey } from '@svc/protocol/wire';
import { useState } from 'react';
import { useStudio } from '../../shell/studio.ts';
import { IconButton } from '../../shell/window/icon-button.tsx';
import { useNow } from '../../state/use-now.ts';
import { useStore } from '../../state/use-store.ts';
import { Icon } from '../../theme/icon.tsx';
import { groupedDigits } from '../../values/values.ts';
import { shownSize, shownTime } from '../amounts.ts';
import { changesOf } from '../changes.ts';
import { textOf } from '../place.ts';
import type { Caches } from './caches.ts';
import { EntryView } from './entry.tsx';
import type { Keys } from './key-list.ts';

interface FlowKeysProps {
  readonly caches: Caches;
  readonly cache: CacheEntry;
  readonly flow: FlowCache;
}

/** The keys of one flow, and the answer of the one that is chosen. */
export function FlowKeys({ caches, cache, flow }: FlowKeysProps) {
  const state = useStore(caches.keys.state);
  const [chosen, setChosen] = useState<string>();
  const entry = state.keys.find(({ key }) => key !== null && key === chosen);
  return (
    <div className="cache-keys">
      <KeysHead caches={caches} cache={cache} flow={flow} />
      {flow.obstacle !== null ? (
        <p className="note warning">
          <Icon name="warning" className="ink" />
          <span>
            Keys of {flow.flow} are not listed: {flow.obstacle}.
          </span>
        </p>
      ) : (
        <>
          <KeysBar caches={caches} flow={flow} state={state} />
          <KeyRows state={state} chosen={chosen} onChoose={setChosen} />
          <Continuation caches={caches} state={state} />
          {entry !== undefined && entry.key !== null && (
            <EntryView
              key={entry.key}
              caches={caches}
              of={flow}
              entry={entry}
              shownAt={state.at}
              onClose={() => setChosen(undefined)}
            />
          )}
        </>
      )}
    </div>
  );
}

function KeysHead({ cache, flow }: FlowKeysProps) {
  const studio = useStudio();
  const show = textOf(studio, flow.flow);
  return (
    <header className="keys-head">
      <span className="grow">
        <button
          type="button"
          className="link"
          disabled={show === undefined}
          title="Show where it is written"
          onClick={show}
        >
          {flow.flow}
        </button>
        <span className="mono key-pattern ellipsis" title={flow.key ?? undefined}>
          {flow.key ?? 'flow, input and caller'}
        </span>
      </span>
      <span className="badge k-cache">{cache.connector}</span>
      {flow.aspect !== '' && <span className="badge">aspect {flow.aspect}</span>}
    </header>
  );
}

interface KeysBarProps {
  readonly caches: Caches;
  readonly flow: FlowCache;
  readonly state: Keys;
}

function KeysBar({ caches, flow, state: { text, isReading } }: KeysBarProps) {
  const studio = useStudio();
  const isUnlocked = useStore(changesOf(studio).isUnlocked);
  const dropping = useStore(caches.dropping);
  const [typed, setTyped] = useState(text);
  const search = (wanted: string) => {
    setTyped(wanted);
    void caches.keys.filter(wanted);
  };
  const dropAll = async () => {
    const kept = flow.aspect === '' ? flow.flow : `${flow.flow} by ${flow.aspect}`;
    const detail =
      'The next messages are computed again. In a cache that processes share, it is dropped for all of them.';
    if ((await studio.notices.ask(`Drop all answers of ${kept}?`, ['Drop all', 'Cancel'], detail)) !== 'Drop all')
      return;
    const dropped = await caches.dropAll(flow);
    studio.notices.show(
      'info',
      dropped === 1 ? '1 answer was dropped.' : `${groupedDigits(dropped)} answers were dropped.`,
    );
  };
  return (
    <search className="keys-bar" aria-label="Filter keys">
      <label className="search grow">
        <Icon name="filter" />
        <input
          value={typed}
          placeholder="Filter keys"
          aria-label="Filter keys by a text that they contain"
          spellCheck={false}
          onChange={({ target }) => search(target.value)}
          onKeyDown={({ key }) => key === 'Escape' && search('')}
        />
      </label>
      <IconButton
        icon="refresh"
        label="Read the keys again"
        disabled={isReading}
        onClick={() => void caches.keys.refresh()}
      />
      <button
        type="button"
        className="button"
        disabled={!isUnlocked || dropping !== undefined}
        title={isUnlocked ? 'Drop every answer that this flow keeps' : 'Locked: unlock changes first'}
        onClick={() => void dropAll().catch((error: unknown) => studio.notices.failed(error))}
      >
        <Icon name="trash" />
        {dropping === undefined ? 'Drop all' : `Dropping, ${groupedDigits(dropping.dropped)}`}
      </button>
    </search>
  );
}

interface RowsProps {
  readonly state: Keys;
  readonly chosen: string | undefined;
  readonly onChoose: (key: string | undefined) => void;
}

function KeyRows({ state: { keys, at, text, isReading, next, problem }, chosen, onChoose }: RowsProps) {
  const now = useNow(keys.length > 0);
  if (keys.length === 0)
    return (
      <div className="key-rows">
        {problem === undefined && (
          <p className="section-empty">
            {isReading
              ? 'Reading …'
              : next !== undefined
                ? 'No key was found among those that were looked at.'
                : text === ''
                  ? 'Nothing is kept now. The next message that is answered is.'
                  : 'No key contains this text.'}
          </p>
        )}
      </div>
    );
  return (
    <div className="key-rows" tabIndex={-1}>
      <table className="table" aria-label="Keys">
        <colgroup>
          <col />
          <col className="of-age" />
          <col className="of-left" />
          <col className="of-size" />
        </colgroup>
        <thead>
          <tr>
            <th>Key</th>
            <th className="end">Age</th>
            <th className="end">Left</th>
            <th className="end">Size</th>
          </tr>
        </thead>
        <tbody>
          {keys.map((entry, index) => (
            <KeyRow
              key={entry.key ?? `${entry.shown} ${index}`}
              entry={entry}
              passed={Math.max(0, now - at)}
              isChosen={entry.key !== null && entry.key === chosen}
              onChoose={onChoose}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  readonly entry: KeptKey;
  /** Milliseconds since it was read. */
  readonly passed: number;
  readonly isChosen: boolean;
  readonly onChoose: (key: string | undefined) => void;
}

function KeyRow({ entry: { key, shown, size, leftMs, ageMs }, passed, isChosen, onChoose }: RowProps) {
  const left = leftMs === null ? undefined : leftMs - passed;
  const choose = key === null ? undefined : () => onChoose(key);
  return (
    <tr className={isChosen ? 'selected' : undefined} onClick={choose}>
      <td className="mono">
        <button
          type="button"
          className="ellipsis choose"
          aria-pressed={isChosen}
          disabled={key === null}
          title={key === null ? `${shown}\nIt is not shown whole, so that it cannot be looked at.` : shown}
          onClick={choose}
        >
          {shown}
        </button>
      </td>
      <td className="numeric end">{ageMs === null ? '\u2013' : shownTime(ageMs + passed)}</td>
      <td className="numeric end">
        {left === undefined ? 'no end' : left <= 0 ? <span className="gone">ended</span> : shownTime(left)}
      </td>
      <td className="numeric end">{shownSize(size)}</td>
    </tr>
  );
}

function Continuation({
  caches,
  state: { keys, next, more, isReading, problem },
}: {
  readonly caches: Caches;
  readonly state: Keys;
}) {
  if (problem !== undefined)
    return (
      <p className="note error" role="alert">
        <Icon name="error" className="ink" />
        <span>
          {problem}.{' '}
          <button type="button" className="link" onClick={() => void caches.keys.refresh()}>
            Try again
          </button>
        </span>
      </p>
    );
  if (next === undefined && !more) return null;
  return (
    <div className="keys-next">
      <span>
        {more
          ? `The first ${groupedDigits(keys.length)}. Others are not listed, since their keys are not shown.`
          : `${groupedDigits(keys.length)} keys`}
      </span>
      {next !== undefined && (
        <button type="button" className="button" disabled={isReading} onClick={() => void caches.keys.more()}>
          {isReading ? 'Reading …' : 'More'}
        </button>
      )}
    </div>
  );
}
