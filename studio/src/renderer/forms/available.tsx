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

/** What else may be said in the block: a chip for each attribute and block. */
export function Available({ form: { available }, properties, pending, onAdd }: AvailableProps) {
  const [named, setNamed] = useState<AvailableBlock>();
  const attributes = available.attributes.filter(({ name }) => !pending.includes(name));
  const { blocks, fields } = available;
  const number = attributes.length + blocks.length;
  if (number === 0 && fields === undefined) return null;
  return (
    <Section title="Also available" sub={`${number} not set`}>
      <div className="chips">
        {attributes.map(({ name, documentation }) => (
          <Chip key={name} name={name} documentation={documentation} onAdd={() => onAdd(name)} />
        ))}
        {blocks.map((block) => (
          <Chip
            key={block.word}
            name={`${block.word} { }`}
            documentation={block.documentation}
            onAdd={() =>
              block.label === undefined ? void properties.change({ addBlock: { word: block.word } }) : setNamed(block)
            }
          />
        ))}
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
