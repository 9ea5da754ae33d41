import type { CSSProperties } from 'react';
import { IconButton } from '../../shell/window/icon-button.tsx';
import { Icon } from '../../theme/icon.tsx';
import { dots, mask } from '../../values/mask.ts';
import { Moment, TokenLife } from '../../values/token-life.tsx';
import { ValueText } from '../../values/value-text.tsx';
import { ValueInput } from './value-input.tsx';
import type { ValueRow } from './value-tree.ts';

interface ValueLineProps {
  readonly row: ValueRow;
  readonly isActive: boolean;
  readonly isEdited: boolean;
  readonly onSelect: () => void;
  /** See ValueInput. */
  readonly onChange: (text: string) => Promise<void>;
  readonly onDone: () => void;
  readonly onLeave: () => void;
  readonly toggle: (row: ValueRow) => void;
  readonly copy: (row: ValueRow) => unknown;
  readonly watch: (row: ValueRow) => void;
  readonly edit: (row: ValueRow) => unknown;
  readonly unmask: (row: ValueRow) => void;
  readonly menu: (row: ValueRow, x: number, y: number) => void;
}

/** One line of the tree of variables. */
export function ValueLine(props: ValueLineProps) {
  const { row, isActive, isEdited, onSelect, onChange, onDone, onLeave, toggle, edit, menu } = props;
  const { kind, depth, key, isOpen, isChanged, forced, value, text, isMasked, moment } = row;
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
        <ValueInput value={value} onChange={onChange} onDone={onDone} onLeave={onLeave} />
      ) : moment !== undefined ? (
        <Moment at={moment} />
      ) : (
        kind !== 'more' && (
          <ValueText
            value={isMasked && text === dots ? mask : value}
            text={text}
            isForced={forced !== undefined && !isMasked}
          />
        )
      )}
      {kind !== 'more' && !isEdited && <Meta {...props} />}
    </div>
  );
}

function Meta({ row, copy, watch, unmask }: ValueLineProps) {
  const { forced, value, note, kind, expression, isChanged, token, isMasked, text } = row;
  return (
    <span className="meta">
      {kind === 'member' && (
        <span className="row-tools">
          {isMasked && (
            <IconButton
              icon="lock"
              label={`${text === dots ? 'Show' : 'Mask'} ${expression}`}
              pressed={text === dots}
              onClick={(event) => {
                event.stopPropagation();
                unmask(row);
              }}
            />
          )}
          <IconButton icon="eye" label={`Watch ${expression}`} onClick={() => watch(row)} />
          <IconButton icon="copy" label={`Copy ${expression} as JSON`} onClick={() => copy(row)} />
        </span>
      )}
      {isChanged && <span className="visually-hidden">changed</span>}
      {forced && <Icon name="hand" className="hand" />}
      {token && <TokenLife token={token} />}
      {value === mask && <Icon name="lock" />}
      <span className={forced ? 'hand' : undefined}>{note}</span>
    </span>
  );
}
