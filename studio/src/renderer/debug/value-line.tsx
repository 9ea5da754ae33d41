import { type CSSProperties, type KeyboardEvent, useRef } from 'react';
import { IconButton } from '../shell/icon-button.tsx';
import { Icon } from '../theme/icon.tsx';
import { ValueText } from './value-text.tsx';
import type { ValueRow } from './value-tree.ts';
import { mask } from './values.ts';

interface ValueLineProps {
  readonly row: ValueRow;
  readonly isActive: boolean;
  readonly isEdited: boolean;
  readonly onSelect: () => void;
  readonly onChange: (text: string) => void;
  readonly onCancel: () => void;
  readonly toggle: (row: ValueRow) => void;
  readonly copy: (row: ValueRow) => unknown;
  readonly watch: (row: ValueRow) => void;
  readonly edit: (row: ValueRow) => unknown;
  readonly menu: (row: ValueRow, x: number, y: number) => void;
}

/** One line of the tree of variables. */
export function ValueLine(props: ValueLineProps) {
  const { row, isActive, isEdited, onSelect, onChange, onCancel, toggle, edit, menu } = props;
  const { kind, depth, key, isOpen, isChanged, forced, value, text } = row;
  const classes = ['data-row', kind === 'scope' && 'scope', isChanged && 'changed', isActive && 'selected'];
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys belong to the tree around it
    <div
      role="treeitem"
      aria-level={depth + 1}
      aria-expanded={isOpen}
      aria-selected={isActive}
      tabIndex={isActive ? 0 : -1}
      className={classes.filter(Boolean).join(' ')}
      style={{ '--d': depth } as CSSProperties}
      onClick={() => {
        onSelect();
        toggle(row);
      }}
      onFocus={onSelect}
      onDoubleClick={() => isOpen === undefined && edit(row)}
      onContextMenu={(event) => {
        event.preventDefault();
        onSelect();
        menu(row, event.clientX, event.clientY);
      }}
    >
      {isOpen === undefined ? (
        <span className="lead" />
      ) : (
        <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} size="small" />
      )}
      {kind === 'more' ? <span className="link">{row.note}, show more</span> : <span className="key">{key}</span>}
      {isEdited ? (
        <ValueInput value={value} onChange={onChange} onCancel={onCancel} />
      ) : (
        kind !== 'more' && <ValueText value={value} text={text} isForced={forced !== undefined} />
      )}
      {kind !== 'more' && !isEdited && <Meta {...props} />}
    </div>
  );
}

function Meta({ row, copy, watch }: ValueLineProps) {
  const { forced, value, note, kind, expression, isChanged } = row;
  return (
    <span className="meta">
      {kind === 'member' && (
        <span className="row-tools">
          <IconButton icon="eye" label={`Watch ${expression}`} onClick={() => watch(row)} />
          <IconButton icon="copy" label={`Copy ${expression} as JSON`} onClick={() => copy(row)} />
        </span>
      )}
      {isChanged && <span className="visually-hidden">changed</span>}
      {forced && <Icon name="hand" className="hand" />}
      {value === mask && <Icon name="lock" />}
      <span className={forced ? 'hand' : undefined}>{note}</span>
    </span>
  );
}

function ValueInput({
  value,
  onChange,
  onCancel,
}: {
  readonly value: unknown;
  readonly onChange: (text: string) => void;
  readonly onCancel: () => void;
}) {
  const isDone = useRef(false);
  const finish = (run: () => void) => {
    if (isDone.current) return;
    isDone.current = true;
    run();
  };
  const pressed = (event: KeyboardEvent<HTMLInputElement>) => {
    event.stopPropagation();
    const { value: text } = event.currentTarget;
    if (event.key === 'Enter') finish(() => onChange(text));
    if (event.key === 'Escape') finish(onCancel);
  };
  return (
    <input
      ref={(input) => {
        input?.focus();
      }}
      className="value-input"
      defaultValue={value === mask ? '' : JSON.stringify(value)}
      aria-label="New value, as JSON or a CEL literal"
      spellCheck={false}
      onFocus={({ currentTarget }) => currentTarget.select()}
      onClick={(event) => event.stopPropagation()}
      onKeyDown={pressed}
      onBlur={() => finish(onCancel)}
    />
  );
}
