import type { ConnectorType, FlowEnd, NewBlock } from '@svc/protocol/language';
import { Fragment, type SyntheticEvent, useEffect, useId, useRef, useState } from 'react';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import type { Creating, Creation } from './creating.ts';

/** Makes the dialog that asks for a new connector or flow. */
export function creationDialog(creating: Creating) {
  return function CreationDialog() {
    const creation = useStore(creating.dialog);
    return creation && <DialogBox {...{ creating, creation }} />;
  };
}

function DialogBox({ creating, creation }: { readonly creating: Creating; readonly creation: Creation }) {
  const box = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [name, setName] = useState('');
  const [type, setType] = useState('');
  const [ends, setEnds] = useState(() => firstEnds(creating, creation));
  const [said, setSaid] = useState({ from: '', to: '' });
  const [types, setTypes] = useState<readonly ConnectorType[]>([]);
  const [refusal, setRefusal] = useState<string>();
  const isFlow = creation.kind === 'flow';
  useEffect(() => box.current?.showModal(), []);
  useEffect(() => {
    creating.types().then(setTypes, () => undefined);
  }, [creating]);
  const chosen = types.find((each) => titleOf(each) === type) ?? types[0];
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (!isFlow && chosen === undefined) return;
    const block: NewBlock = isFlow
      ? { addFlow: { name, ...ends, operation: said.from.trim(), target: said.to.trim() } }
      : { addConnector: { name, type: chosen!.type, driver: chosen!.driver } };
    creating
      .create(block)
      .catch((error: unknown) => setRefusal(error instanceof Error ? error.message : String(error)));
  };
  const title = isFlow ? 'Add a flow' : 'Add a connector';
  return (
    <dialog ref={box} className="dialog popover" aria-label={title} onClose={() => creating.dialog.set(undefined)}>
      <h2>{title}</h2>
      <form className="dialog-form" onSubmit={submit}>
        <label htmlFor={`${id}-name`}>Name</label>
        <input
          id={`${id}-name`}
          className={refusal === undefined ? 'input mono' : 'input mono bad'}
          autoFocus
          required
          spellCheck={false}
          placeholder={isFlow ? 'create_order' : 'db'}
          aria-describedby={`${id}-refusal`}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        {isFlow ? (
          (['from', 'to'] as const).map((end) => (
            <Fragment key={end}>
              <Choice
                label={end === 'from' ? 'Takes messages from' : 'Hands them to'}
                values={creating.connectors}
                value={ends[end]}
                onChange={(connector) => setEnds({ ...ends, [end]: connector })}
              />
              <WhatOf
                key={ends[end]}
                {...{ creating, end }}
                connector={ends[end]}
                value={said[end]}
                onChange={(text) => setSaid({ ...said, [end]: text })}
              />
            </Fragment>
          ))
        ) : (
          <Choice label="Type" values={types.map(titleOf)} value={chosen ? titleOf(chosen) : ''} onChange={setType} />
        )}
        <p id={`${id}-refusal`} role="alert" className="error ink">
          {refusal}
        </p>
        <p className="note">
          <Icon name="code" />
          It is written beside its like, with what it must say; undo takes it back.
        </p>
        <div className="question-buttons">
          <button type="submit" className="button primary">
            {title}
          </button>
          <button type="button" className="button" onClick={() => creating.dialog.set(undefined)}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  );
}

interface WhatOfProps {
  readonly creating: Creating;
  readonly connector: string;
  readonly end: 'from' | 'to';
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** What the flow asks of a connector: its operation or its target, with what the connector offers. */
function WhatOf({ creating, connector, end, value, onChange }: WhatOfProps) {
  const id = useId();
  const [known, setKnown] = useState<FlowEnd>();
  useEffect(() => {
    creating.end(connector, end === 'from' ? 'source' : 'target').then(setKnown, () => undefined);
  }, [creating, connector, end]);
  if (known?.refusal !== undefined)
    return (
      <p className="error ink" role="alert">
        {known.refusal}
      </p>
    );
  if (known?.word === undefined) return null;
  const { word, offers, isRequired } = known;
  return (
    <>
      <label htmlFor={id}>
        {word === 'operation' ? `Operation of ${connector}` : `${capital(word)} at ${connector}`}
        {isRequired ? '' : ' (may be left out)'}
      </label>
      <input
        id={id}
        className="input mono"
        list={`${id}-offers`}
        spellCheck={false}
        autoComplete="off"
        placeholder={offers[0]}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      <datalist id={`${id}-offers`}>
        {offers.map((offer) => (
          <option key={offer} value={offer} />
        ))}
      </datalist>
    </>
  );
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

interface ChoiceProps {
  readonly label: string;
  readonly values: readonly string[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Choice({ label, values, value, onChange }: ChoiceProps) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <span className="select">
        <select id={id} className="input" value={value} onChange={({ target }) => onChange(target.value)}>
          {values.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
        <Icon name="chevron-down" size="small" />
      </span>
    </>
  );
}

function titleOf({ type, driver }: ConnectorType): string {
  return driver === undefined ? type : `${type}, ${driver}`;
}

function firstEnds({ connectors }: Creating, creation: Creation): { readonly from: string; readonly to: string } {
  const [first = '', second = first] = connectors;
  if (creation.kind !== 'flow') return { from: first, to: second };
  return { from: creation.from ?? first, to: creation.to ?? second };
}
