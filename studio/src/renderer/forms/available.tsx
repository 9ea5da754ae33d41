import type { AvailableBlock, Form } from '@svc/protocol/language';
import { useState } from 'react';
import { Section } from '../shell/window/section.tsx';
import { Icon } from '../theme/icon.tsx';
import type { Properties } from './properties.ts';

interface AvailableProps {
  readonly form: Form;
  readonly properties: Properties;
  /** Attributes that the form shows already. */
  readonly pending: readonly string[];
  readonly onAdd: (attribute: string) => void;
}

/** How many are shown before the others are asked for. */
const mostLikely = 5;

/** What must be written comes first; the others are in the order of the vocabulary, where what is common is before what is rare. */
function likelyFirst<T extends { readonly required: boolean }>(attributes: readonly T[]): readonly T[] {
  return [...attributes.filter(({ required }) => required), ...attributes.filter(({ required }) => !required)];
}

/** What else may be said in the block: a chip for each attribute and block. */
export function Available({ form: { available }, properties, pending, onAdd }: AvailableProps) {
  const [named, setNamed] = useState<AvailableBlock>();
  const [isWhole, setWhole] = useState(false);
  const attributes = available.attributes.filter(({ name }) => !pending.includes(name));
  const { blocks, fields } = available;
  const number = attributes.length + blocks.length;
  const likely = likelyFirst(attributes);
  const shownAttributes = isWhole ? likely : likely.slice(0, mostLikely);
  const shownBlocks = isWhole ? blocks : blocks.slice(0, Math.max(0, mostLikely - shownAttributes.length));
  const hidden = number - shownAttributes.length - shownBlocks.length;
  if (number === 0 && fields === undefined) return null;
  return (
    <Section title="Also available" sub={`${number} not set`}>
      <div className="chips">
        {shownAttributes.map(({ name, documentation }) => (
          <Chip key={name} name={name} documentation={documentation} onAdd={() => onAdd(name)} />
        ))}
        {shownBlocks.map((block) => (
          <Chip
            key={block.word}
            name={`${block.word} { }`}
            documentation={block.documentation}
            onAdd={() =>
              block.label === undefined ? void properties.change({ addBlock: { word: block.word } }) : setNamed(block)
            }
          />
        ))}
        {hidden > 0 && (
          <button type="button" className="badge line" onClick={() => setWhole(true)}>
            More ({hidden})
          </button>
        )}
      </div>
      {named && (
        <LabelField
          title={named.label ?? 'Name'}
          placeholder={`Name of the ${named.word}`}
          onDone={(label) => {
            setNamed(undefined);
            if (label) void properties.change({ addBlock: { word: named.word, labels: [label] } });
          }}
        />
      )}
      {fields && (
        <LabelField
          title={fields.documentation}
          placeholder="Attribute of your own"
          onDone={(name) => name && onAdd(name)}
        />
      )}
    </Section>
  );
}

function Chip({ name, documentation, onAdd }: { name: string; documentation: string; onAdd: () => void }) {
  return (
    <button type="button" className="badge line" title={documentation} onClick={onAdd}>
      <Icon name="plus" />
      {name}
    </button>
  );
}

interface LabelFieldProps {
  readonly title: string;
  readonly placeholder: string;
  readonly onDone: (text: string) => void;
}

function LabelField({ title, placeholder, onDone }: LabelFieldProps) {
  const [text, setText] = useState('');
  return (
    <div className="field label-field">
      <input
        className="input mono"
        aria-label={placeholder}
        title={title}
        placeholder={placeholder}
        spellCheck={false}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={({ key }) => {
          if (key === 'Enter') {
            onDone(text.trim());
            setText('');
          } else if (key === 'Escape') onDone('');
        }}
      />
    </div>
  );
}
