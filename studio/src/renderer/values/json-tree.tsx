import { type CSSProperties, useState } from 'react';
import { Icon } from '../theme/icon.tsx';
import { firstMembers, type JsonRow, jsonRows } from './json-rows.ts';
import { moveInTree } from './tree-keys.ts';
import { ValueText } from './value-text.tsx';
import { mask } from './values.ts';

/** Levels that are open at first. */
const openLevels = 2;

/** A JSON value as a tree that opens and closes. */
export function JsonTree({ value, label }: { readonly value: unknown; readonly label: string }) {
  const [flipped, setFlipped] = useState<ReadonlySet<string>>(new Set());
  const [shown, setShown] = useState<ReadonlyMap<string, number>>(new Map());
  const rows = jsonRows(value, (id, depth) => depth < openLevels !== flipped.has(id), shown);
  const press = ({ id, isOpen, more, value: of }: JsonRow) => {
    if (more !== undefined)
      setShown((all) => new Map(all).set(of as string, (all.get(of as string) ?? firstMembers) + firstMembers));
    else if (isOpen !== undefined)
      setFlipped((all) => (all.has(id) ? new Set([...all].filter((each) => each !== id)) : new Set(all).add(id)));
  };
  if (rows.length === 0) return <p className="section-empty">{Array.isArray(value) ? 'An empty list' : 'Empty'}</p>;
  return (
    <div className="data" role="tree" aria-label={label} onKeyDown={moveInTree}>
      {rows.map((row, index) => (
        <Line key={row.id} row={row} isFirst={index === 0} onPress={() => press(row)} />
      ))}
    </div>
  );
}

interface LineProps {
  readonly row: JsonRow;
  readonly isFirst: boolean;
  readonly onPress: () => void;
}

function Line({ row: { key, depth, value, isOpen, text, more }, isFirst, onPress }: LineProps) {
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
      onKeyDown={(event) => event.key === 'Enter' && onPress()}
    >
      {isOpen === undefined ? (
        <span className="lead" />
      ) : (
        <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} size="small" />
      )}
      {more !== undefined ? <span className="link">{more} more, show more</span> : null}
      {key !== '' && <span className="key">{key}</span>}
      {more === undefined && <ValueText value={value} text={text} />}
      {value === mask && (
        <span className="meta">
          <Icon name="lock" />
          masked
        </span>
      )}
    </div>
  );
}
