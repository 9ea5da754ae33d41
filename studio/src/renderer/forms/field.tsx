import type { FormProblem, LiteralValue } from '@svc/protocol/language';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { ExpressionField } from '../expressions/expression-field.tsx';
import { IconButton } from '../shell/window/icon-button.tsx';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import { ColouredText } from './coloured.tsx';
import { EntriesField, ItemsField } from './entries.tsx';
import type { Properties, ShownForm } from './properties.ts';
import { changeOf, controlOf, type Edited, isHidden, shownText } from './values.ts';

export interface FieldProps {
  readonly field: Edited & { readonly problem?: FormProblem | undefined };
  readonly valueStart?: number | undefined;
  readonly shown: ShownForm;
  readonly properties: Properties;
  /** Takes it away: from the text, or from the form where it was not written yet. */
  readonly onRemove: (() => void) | undefined;
  /** It was asked for just now. */
  readonly isNew?: boolean | undefined;
}

/** One attribute with the control of its kind, what is wrong with it, and what it means while it has the focus. */
export function Field(props: FieldProps) {
  const { field, properties, onRemove } = props;
  const { name, required, documentation, problem } = field;
  const id = useId();
  const refusal = useStore(properties.refusal, (all) => (all?.name === name ? all.message : undefined));
  const control = controlOf(field);
  const message = refusal ?? problem?.message;
  return (
    <div className="field property">
      <label htmlFor={id} title={documentation}>
        <span className="ellipsis">{name}</span>
        {required && (
          <span className="required" title="required">
            *<span className="visually-hidden"> required</span>
          </span>
        )}
      </label>
      <span className="property-control">
        <ControlOf {...props} id={id} control={control} isBad={message !== undefined} />
        {onRemove && !required && (
          <IconButton className="remove" icon="close" label={`Remove ${name}`} onClick={onRemove} />
        )}
      </span>
      {message !== undefined && (
        <p
          className={`hint ink ${refusal !== undefined ? 'error' : problem?.severity}`}
          id={`${id}-problem`}
          role="alert"
        >
          {message}
        </p>
      )}
      <p className="hint documentation" id={`${id}-documentation`}>
        {documentation}
      </p>
    </div>
  );
}

interface ControlProps extends FieldProps {
  readonly id: string;
  readonly control: ReturnType<typeof controlOf>;
  readonly isBad: boolean;
}

function ControlOf({ field, valueStart, shown, properties, id, control, isBad, isNew }: ControlProps): ReactNode {
  const { name } = field;
  const set = (value: LiteralValue) => properties.change({ setValue: { name, value } }, name);
  const described = `${isBad ? `${id}-problem ` : ''}${id}-documentation`;
  if (control === 'toggle') return <Toggle {...{ id, field, described }} onChange={set} />;
  if (control === 'select') return <Select {...{ id, field, described, properties, isBad, isNew }} />;
  if (control === 'map') return <EntriesField {...{ id, name, described }} value={field.value} onChange={set} />;
  if (control === 'list') return <ItemsField {...{ id, name, described }} value={field.value} onChange={set} />;
  const commit = async (typed: string) => {
    try {
      return await properties.change(changeOf(field, typed), name);
    } catch (error) {
      properties.refusal.set({ name, message: error instanceof Error ? error.message : String(error) });
      return false;
    }
  };
  const isMono = control !== 'text' || field.kind === 'duration' || field.kind === 'size';
  return (
    <DraftInput
      {...{ id, described, isBad, isMono, isNew, commit }}
      text={shownText(field)}
      placeholder={field.default ?? (field.secret ? 'env("NAME")' : undefined)}
      isSecret={field.secret && control !== 'source'}
      isLong={control === 'lines' || (control === 'source' && (field.text ?? '').includes('\n'))}
      colours={colours(control, field, valueStart, shown)}
      place={
        control === 'expression' ? { path: shown.form.file, offset: valueStart ?? shown.form.range.end } : undefined
      }
    />
  );
}

/** Colours of what is written, where the text has it as the field does. */
function colours(
  control: ControlProps['control'],
  field: Edited,
  valueStart: number | undefined,
  { text, tokens }: ShownForm,
): ReactNode {
  if (valueStart === undefined || (control !== 'expression' && control !== 'source')) return undefined;
  const shown = shownText(field);
  const start = control === 'expression' ? valueStart + 1 : valueStart;
  if (shown.includes('\n') || text.slice(start, start + shown.length) !== shown) return undefined;
  return <ColouredText {...{ text, tokens, start }} end={start + shown.length} />;
}

interface DraftInputProps {
  readonly id?: string | undefined;
  readonly label?: string | undefined;
  readonly described?: string | undefined;
  readonly text: string;
  readonly placeholder?: string | undefined;
  readonly isBad?: boolean | undefined;
  readonly isMono?: boolean | undefined;
  readonly isSecret?: boolean | undefined;
  readonly isLong?: boolean | undefined;
  readonly isNew?: boolean | undefined;
  readonly colours?: ReactNode;
  /** Where an expression is in the text, so that it is completed as it would be there. */
  readonly place?: { readonly path: string; readonly offset: number } | undefined;
  readonly commit: (typed: string) => unknown;
}

/** A text that is written on Enter and when the focus leaves; Escape brings back what was there. */
export function DraftInput(props: DraftInputProps) {
  const {
    id,
    label,
    described,
    text,
    placeholder,
    isBad,
    isMono,
    isSecret,
    isLong,
    isNew,
    colours: coloured,
    place,
    commit,
  } = props;
  const [draft, setDraft] = useState(text);
  const input = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const sent = useRef(text);
  useEffect(() => {
    setDraft(text);
    sent.current = text;
  }, [text]);
  useEffect(() => {
    if (isNew) input.current?.focus();
  }, [isNew]);
  const send = () => {
    if (draft === sent.current) return;
    sent.current = draft;
    commit(draft);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (!isLong || event.ctrlKey || event.metaKey)) {
      // What was refused may be sent again as it is.
      sent.current = text;
      send();
    } else if (event.key === 'Escape' && draft !== text) {
      setDraft(text);
      sent.current = text;
      event.stopPropagation();
    } else return;
    event.preventDefault();
  };
  const className = ['input', isMono && 'mono', isBad && 'bad'].filter(Boolean).join(' ');
  const common = {
    ref: input,
    id,
    className,
    'aria-label': label,
    'aria-describedby': described,
    'aria-invalid': isBad || undefined,
    placeholder,
    value: draft,
    spellCheck: false,
    onChange: ({ target }: { target: { value: string } }) => setDraft(target.value),
    onBlur: send,
    onKeyDown,
  };
  if (isLong) return <textarea {...common} rows={Math.min(12, draft.split('\n').length + 1)} />;
  const isColoured = coloured !== undefined && draft === text;
  return (
    <span className={isColoured ? 'coloured-input on' : 'coloured-input'}>
      {place === undefined ? (
        <input {...common} type={isSecret && isHidden(draft) ? 'password' : 'text'} autoComplete="off" />
      ) : (
        <ExpressionField
          id={id}
          label={label}
          describedBy={described}
          inputClassName={className}
          isInvalid={isBad || undefined}
          autoFocus={isNew}
          placeholder={placeholder}
          place={place}
          value={draft}
          onChange={setDraft}
          onBlur={send}
          onKeyDown={onKeyDown}
        />
      )}
      {isColoured && (
        <span className="colours mono" aria-hidden>
          {coloured}
        </span>
      )}
    </span>
  );
}

interface ToggleProps {
  readonly id: string;
  readonly field: Edited;
  readonly described: string;
  readonly onChange: (value: boolean) => void;
}

function Toggle({ id, field: { value, default: first }, described, onChange }: ToggleProps) {
  const isOn = value === undefined ? first === 'true' : value === true;
  return (
    <button
      type="button"
      role="switch"
      id={id}
      className={isOn ? 'toggle on' : 'toggle'}
      aria-checked={isOn}
      aria-describedby={described}
      onClick={() => onChange(!isOn)}
    />
  );
}

interface SelectProps extends Pick<FieldProps, 'field' | 'properties' | 'isNew'> {
  readonly id: string;
  readonly described: string;
  readonly isBad: boolean;
}

function Select({ id, field, described, properties, isBad, isNew }: SelectProps) {
  const { value, values = [], kind, default: first, name } = field;
  const select = useRef<HTMLSelectElement>(null);
  useEffect(() => {
    if (isNew) select.current?.focus();
  }, [isNew]);
  const now = value === undefined ? '' : String(value);
  const names = values.map(String);
  const isGhost = now !== '' && !names.includes(now);
  return (
    <span className={isGhost ? 'select error' : 'select'}>
      <select
        ref={select}
        id={id}
        className={isBad || isGhost ? 'input bad' : 'input'}
        aria-describedby={described}
        value={now}
        onChange={({ target }) => void properties.change(changeOf(field, target.value), name)}
      >
        {value === undefined && <option value="">{first === undefined ? 'Choose' : `${first} (default)`}</option>}
        {isGhost && <option value={now}>{`${now} (${kind === 'reference' ? 'not declared' : 'not known'})`}</option>}
        {names.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
      <Icon name="chevron-down" size="small" />
    </span>
  );
}
