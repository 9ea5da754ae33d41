import type { Form } from '@svc/protocol/language';
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { ConnectorIcon } from '../plugins/connector-icon.tsx';
import { useStudio } from '../shell/studio.ts';
import { IconButton } from '../shell/window/icon-button.tsx';
import { Section } from '../shell/window/section.tsx';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import { Available } from './available.tsx';
import { DraftInput, Field } from './field.tsx';
import type { FormHead, HeadOf } from './head.ts';
import type { Properties, ShownForm } from './properties.ts';
import { Snippet } from './snippet.tsx';

/** The selected block as a form; beside the canvas, where blocks are drawn and not written. */
export function propertiesView(properties: Properties, headOf: HeadOf) {
  return function PropertiesView() {
    const shown = useStore(properties.shown);
    useEffect(() => properties.watch(), []);
    if (shown === undefined)
      return (
        <Section title="Properties">
          <p className="empty">Select a connector, a flow or a stage on the canvas to see what it says.</p>
        </Section>
      );
    const { file, range, word, label } = shown.form;
    return <BlockForm key={`${file} ${word} ${label} ${range.start}`} {...{ shown, properties, headOf }} />;
  };
}

interface BlockFormProps {
  readonly shown: ShownForm;
  readonly properties: Properties;
  readonly headOf: HeadOf;
}

function BlockForm({ shown, properties, headOf }: BlockFormProps) {
  const { menus } = useStudio();
  const { form } = shown;
  const [pending, setPending] = useState<readonly string[]>([]);
  const refusal = useStore(properties.refusal, (all) => (all?.name === '' ? all.message : undefined));
  const fields = useRef<HTMLDivElement>(null);
  useEntered(shown, properties, fields);
  const written = new Set(form.attributes.map(({ name }) => name));
  const waiting = pending.filter((name) => !written.has(name));
  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'z') return;
    // What is typed and not written yet is undone by the field itself.
    const { target } = event;
    if (target instanceof HTMLInputElement && target.value !== target.defaultValue) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.shiftKey) properties.redo();
    else properties.undo();
  };
  const more = ({ clientX, clientY }: { clientX: number; clientY: number }) =>
    menus.show({
      label: form.title,
      x: clientX,
      y: clientY,
      items: [
        { title: `Remove ${form.title}`, icon: 'trash', run: () => void properties.change({ removeBlock: true }) },
      ],
    });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: undo for all fields inside; the button at the text does the same
    <div ref={fields} className="properties scroll" onKeyDown={onKeyDown}>
      <Section title="Properties" tools={<MoreButton onClick={more} />}>
        <Head {...{ form, headOf }} />
      </Section>
      <Section title={capital(form.word)}>
        {form.label !== '' && (
          <div className="field property">
            <span className="muted">name</span>
            <DraftInput label="Name of the block" text={form.label} isMono commit={(name) => properties.rename(name)} />
          </div>
        )}
        {form.attributes.map((field) => (
          <Field
            key={field.name}
            {...{ field, shown, properties }}
            valueStart={field.valueRange?.start}
            onRemove={() => void properties.change({ remove: field.name }, field.name)}
          />
        ))}
        {waiting.map((name) => (
          <Field
            key={name}
            field={factOf(form, name)}
            {...{ shown, properties }}
            isNew
            onRemove={() => setPending(pending.filter((each) => each !== name))}
          />
        ))}
        {form.attributes.length + waiting.length === 0 && form.label === '' && <p className="foot">Nothing is set.</p>}
        {(refusal !== undefined || form.problems.length > 0) && (
          <p className="foot error ink" role="alert">
            {refusal ?? form.problems[0]?.message}
          </p>
        )}
      </Section>
      {form.children.length > 0 && <Children form={form} properties={properties} />}
      <Available {...{ form, properties }} pending={waiting} onAdd={(name) => setPending([...pending, name])} />
      <Snippet {...{ shown, properties }} />
    </div>
  );
}

/** The first value of a block that was just written takes the focus, with all of its text selected. */
function useEntered(
  { form, text, document: { model } }: ShownForm,
  properties: Properties,
  fields: RefObject<HTMLDivElement | null>,
): void {
  const entered = useStore(properties.entered);
  const { file, range, word } = form;
  useEffect(() => {
    if (entered?.path !== file || entered.offset < range.start || entered.offset > range.end) return;
    // The form of before is shown until that of the new text has come.
    if (text !== model.getValue() || !text.startsWith(word, range.start)) return;
    const found = fields.current?.querySelectorAll<HTMLElement>('.field input, .field textarea, .field select') ?? [];
    const first = [...found].find((one) => one.getAttribute('aria-label') !== 'Name of the block');
    if (first === undefined) return;
    properties.entered.set(undefined);
    first.focus();
    if (first instanceof HTMLInputElement || first instanceof HTMLTextAreaElement) first.select();
  }, [entered, file, range.start, range.end, word, text, model, properties, fields]);
}

function MoreButton({ onClick }: { readonly onClick: (at: { clientX: number; clientY: number }) => void }) {
  return (
    <IconButton
      icon="more"
      label="More"
      onClick={() => {
        const box = document.activeElement?.getBoundingClientRect();
        onClick({ clientX: box?.left ?? 0, clientY: box?.bottom ?? 0 });
      }}
    />
  );
}

function Head({ form, headOf }: { readonly form: Form; readonly headOf: HeadOf }) {
  const { name, className, icon, sub, family } = headOf(form) ?? { ...plainHead, sub: form.file };
  return (
    <div className="properties-head" title={form.documentation}>
      <span className={`tile large ${className}`}>
        <ConnectorIcon name={name} file={icon} />
      </span>
      <span className="grow">
        <b className="ellipsis">{form.title}</b>
        <small className="ellipsis">{sub || form.documentation}</small>
      </span>
      {family && (
        <span className={`badge line ${family.name}`}>
          <Icon name={family.name} />
          {family.title}
        </span>
      )}
    </div>
  );
}

const plainHead: Pick<FormHead, 'name' | 'className' | 'icon' | 'family'> = { name: 'field', className: '' };

function Children({ form, properties }: { readonly form: Form; readonly properties: Properties }) {
  return (
    <Section title="Blocks" sub={String(form.children.length)}>
      {form.children.map(({ word, label, range, documentation }) => (
        <button
          key={range.start}
          type="button"
          className="row block-row"
          title={documentation}
          onClick={() => properties.enter(range)}
        >
          <Icon name="chevron-right" size="small" />
          <span className="name">{word}</span>
          <span className="meta">{label}</span>
        </button>
      ))}
    </Section>
  );
}

function factOf({ available }: Form, name: string) {
  const known = available.attributes.find((fact) => fact.name === name);
  if (known) return known;
  const plain = {
    kind: 'other',
    required: false,
    secret: false,
    documentation: '',
    default: undefined,
    values: undefined,
  } as const;
  return { ...plain, ...available.fields, name };
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).replaceAll('_', ' ');
}
