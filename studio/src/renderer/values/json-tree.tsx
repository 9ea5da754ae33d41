import { type CSSProperties, useState } from 'react';
import { IconButton } from '../shell/window/icon-button.tsx';
import { Icon } from '../theme/icon.tsx';
import { firstMembers, type JsonRow, jsonRows } from './json-rows.ts';
import { mask } from './mask.ts';
import { Moment, TokenLife } from './token-life.tsx';
import { moveInTree } from './tree-keys.ts';
import { ValueText } from './value-text.tsx';

/** Levels that are open at first. */
const openLevels = 2;

/** A JSON value as a tree that opens and closes. Tokens are masked, and open decoded. */
export function JsonTree({ value, label }: { readonly value: unknown; readonly label: string }) {
  const [flipped, setFlipped] = useState<ReadonlySet<string>>(new Set());
  const [shown, setShown] = useState<ReadonlyMap<string, number>>(new Map());
  const rows = jsonRows(value, (id, depth, isToken) => (depth < openLevels && !isToken) !== flipped.has(id), shown);
  const [revealed, setRevealed] = useState<ReadonlySet<string>>(new Set());
  const reveal = (id: string) => setRevealed((all) => flippedIn(all, id));
  const press = ({ id, isOpen, more, value: of }: JsonRow) => {
    if (more !== undefined)
      setShown((all) => new Map(all).set(of as string, (all.get(of as string) ?? firstMembers) + firstMembers));
    else if (isOpen !== undefined) setFlipped((all) => flippedIn(all, id));
  };
  if (rows.length === 0) return <p className="section-empty">{Array.isArray(value) ? 'An empty list' : 'Empty'}</p>;
  return (
    <div className="data" role="tree" aria-label={label} onKeyDown={moveInTree}>
      {rows.map((row, index) => (
        <Line
          key={row.id}
          row={row}
          isFirst={index === 0}
          isRevealed={revealed.has(row.id)}
          onPress={() => press(row)}
          onReveal={() => reveal(row.id)}
        />
      ))}
    </div>
  );
}

function flippedIn(all: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return all.has(id) ? new Set([...all].filter((each) => each !== id)) : new Set(all).add(id);
}

interface LineProps {
  readonly row: JsonRow;
  readonly isFirst: boolean;
  /** A masked text is shown. */
  readonly isRevealed: boolean;
  readonly onPress: () => void;
  readonly onReveal: () => void;
}

function Line({ row, isFirst, isRevealed, onPress, onReveal }: LineProps) {
  const { key, depth, value, isOpen, text, more, token, isMasked, moment, note } = row;
  return (
    <div
      role="treeitem"
      aria-level={depth + 1}
      aria-expanded={isOpen}
      aria-selected={false}
      className="data-row"
      style={{ '--d': depth } as CSSProperties}
      tabIndex={isFirst ? 0 : -1}
      onClick={onPress}
      onKeyDown={(event) => {
        if (event.target !== event.currentTarget) return;
        if (event.key === 'Enter') onPress();
        if (event.key === 'r' && isMasked) onReveal();
      }}
    >
      {isOpen === undefined ? (
        <span className="lead" />
      ) : (
        <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} size="small" />
      )}
      {more !== undefined ? <span className="link">{more} more, show more</span> : null}
      {key !== '' && <span className="key">{key}</span>}
      {moment !== undefined ? (
        <Moment at={moment} />
      ) : (
        more === undefined && (
          <ValueText value={isMasked && !isRevealed ? mask : value} text={isRevealed ? String(value) : text} />
        )
      )}
      {(isMasked || note !== undefined) && (
        <span className="meta">
          {token && <TokenLife token={token} />}
          {note}
          {isMasked && (
            <IconButton
              icon={isRevealed ? 'lock' : 'eye'}
              label={`${isRevealed ? 'Mask' : 'Show'} ${key} (r)`}
              tabIndex={-1}
              onClick={(event) => {
                event.stopPropagation();
                onReveal();
              }}
            />
          )}
        </span>
      )}
      {value === mask && (
        <span className="meta">
          <Icon name="lock" />
          masked
        </span>
      )}
    </div>
  );
}
