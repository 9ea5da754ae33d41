import type { LiteralValue } from '@svc/protocol/language';
import { useState } from 'react';
import { IconButton } from '../shell/window/icon-button.tsx';
import { DraftInput } from './field.tsx';
import { isEntries, plainLike, withEntry, withItem } from './values.ts';

interface EntriesProps {
  readonly id: string;
  readonly name: string;
  readonly described: string;
  readonly value: LiteralValue | undefined;
  readonly onChange: (value: LiteralValue) => void;
}

/** A map: a line for each entry, and one for the name of a new one. */
export function EntriesField({ id, name, described, value, onChange }: EntriesProps) {
  const entries = Object.entries(isEntries(value) ? value : {});
  return (
    <span className="entries">
      {entries.map(([key, entry]) => (
        <span key={key} className="entry">
          <span className="mono ellipsis" title={key}>
            {key}
          </span>
          <DraftInput
            label={`${name} ${key}`}
            text={String(entry)}
            isMono
            commit={(typed) => onChange(withEntry(value, key, plainLike(entry, typed)))}
          />
          <IconButton icon="close" label={`Remove ${key}`} onClick={() => onChange(withEntry(value, key, undefined))} />
        </span>
      ))}
      <NewEntry
        {...{ id, described }}
        placeholder="New name"
        label={`New name in ${name}`}
        onAdd={(key) => onChange(withEntry(value, key, ''))}
      />
    </span>
  );
}

/** A list: a line for each item, and one for a new one. */
export function ItemsField({ id, name, described, value, onChange }: EntriesProps) {
  const items = Array.isArray(value) ? (value as readonly LiteralValue[]) : [];
  return (
    <span className="entries">
      {items.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items are known by their place
        <span key={at} className="entry">
          <DraftInput
            label={`${name} ${at + 1}`}
            text={String(item)}
            isMono
            commit={(typed) => onChange(withItem(value, at, plainLike(item, typed)))}
          />
          <IconButton
            icon="close"
            label={`Remove item ${at + 1}`}
            onClick={() => onChange(withItem(value, at, undefined))}
          />
        </span>
      ))}
      <NewEntry
        {...{ id, described }}
        placeholder="New item"
        label={`New item of ${name}`}
        onAdd={(item) => onChange(withItem(value, items.length, plainLike(items[0], item)))}
      />
    </span>
  );
}

interface NewEntryProps {
  readonly id: string;
  readonly label: string;
  readonly described: string;
  readonly placeholder: string;
  readonly onAdd: (text: string) => void;
}

function NewEntry({ id, label, described, placeholder, onAdd }: NewEntryProps) {
  const [text, setText] = useState('');
  const add = () => {
    if (text.trim() !== '') onAdd(text.trim());
    setText('');
  };
  return (
    <input
      id={id}
      className="input mono"
      aria-label={label}
      aria-describedby={described}
      placeholder={placeholder}
      spellCheck={false}
      value={text}
      onChange={({ target }) => setText(target.value)}
      onBlur={add}
      onKeyDown={(event) => {
        if (event.key === 'Enter') add();
        else if (event.key === 'Escape') setText('');
        else return;
        event.preventDefault();
      }}
    />
  );
}
