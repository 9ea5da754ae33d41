import { useId, useState } from 'react';
import { serviceOf } from '../run/service.ts';
import { useStudio } from '../shell/studio.ts';
import { IconButton } from '../shell/window/icon-button.tsx';
import { useStore } from '../state/use-store.ts';
import { isSameValue } from '../values/values.ts';
import { bodyOf, jsonProblem, shownBody } from './body.ts';

type Texts = Readonly<Record<string, string>>;

interface VariableProps {
  /** Those that the request names. */
  readonly names: readonly string[];
  readonly values: Texts;
  readonly onChange: (values: Texts) => void;
}

/** A field for each variable that the request names; those that it names no more can be removed. */
export function VariableFields({ names, values, onChange }: VariableProps) {
  const service = serviceOf(useStudio());
  const state = useStore(service.state);
  const id = useId();
  const all = [...new Set([...names, ...Object.keys(values)])];
  if (all.length === 0) return null;
  const base = state.kind === 'running' ? state.addresses[0] : undefined;
  return (
    <section className="request-part" aria-label="Variables of the request">
      <h2 className="request-title">Variables</h2>
      {all.map((name) => (
        <div key={name} className="pair">
          <label className="mono ellipsis" htmlFor={`${id} ${name}`}>
            {name}
          </label>
          <input
            id={`${id} ${name}`}
            className="input mono"
            spellCheck={false}
            placeholder={name === 'base' ? (base ?? 'address of the running service') : 'value'}
            value={values[name] ?? ''}
            onChange={({ target: { value } }) =>
              onChange(name === 'base' && value === '' ? without(values, name) : { ...values, [name]: value })
            }
          />
          {names.includes(name) ? (
            <span />
          ) : (
            <IconButton icon="close" label={`Remove ${name}`} onClick={() => onChange(without(values, name))} />
          )}
        </div>
      ))}
    </section>
  );
}

type Row = readonly [name: string, value: string];

/** Headers as rows; an empty row at the end takes the next. Rows live here while two of them have one name. */
export function HeaderTable({
  headers,
  onChange,
}: {
  readonly headers: Texts;
  readonly onChange: (headers: Texts) => void;
}) {
  const [kept, setKept] = useState<readonly Row[]>(Object.entries(headers));
  const rows = isSameValue(fromRows(kept), headers) ? kept : Object.entries(headers);
  const change = (changed: readonly Row[]) => {
    setKept(changed);
    onChange(fromRows(changed));
  };
  const shown: readonly Row[] = [...rows, ['', '']];
  return (
    <section className="request-part" aria-label="Headers of the request">
      <h2 className="request-title">Headers</h2>
      {shown.map(([name, value], at) => {
        const set = (row: Row) => change(at === rows.length ? [...rows, row] : rows.with(at, row));
        const what = name === '' ? 'new header' : name;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows are known by their place
          <div key={at} className="pair">
            <input
              className="input mono"
              aria-label={`Name of ${what}`}
              placeholder="name"
              spellCheck={false}
              value={name}
              onChange={({ target }) => set([target.value, value])}
            />
            <input
              className="input mono"
              aria-label={`Value of ${what}`}
              placeholder="value"
              spellCheck={false}
              value={value}
              onChange={({ target }) => set([name, target.value])}
            />
            {at === rows.length ? (
              <span />
            ) : (
              <IconButton icon="close" label={`Remove ${what}`} onClick={() => change(rows.toSpliced(at, 1))} />
            )}
          </div>
        );
      })}
    </section>
  );
}

/** The body as text; what was JSON stays JSON in the file. What is typed is shown as it was typed. */
export function BodyField({ body, onChange }: { readonly body: unknown; readonly onChange: (body: unknown) => void }) {
  const id = useId();
  const [typed, setTyped] = useState(() => ({ text: shownBody(body), body }));
  const text = isSameValue(typed.body, body) ? typed.text : shownBody(body);
  const problem = jsonProblem(text);
  const change = (changed: string) => {
    const value = bodyOf(changed, body);
    setTyped({ text: changed, body: value });
    onChange(value);
  };
  return (
    <div className="request-part fill">
      <label className="request-title" htmlFor={id}>
        Body
      </label>
      <textarea
        id={id}
        className={problem === undefined ? 'input mono request-body' : 'input mono request-body bad'}
        spellCheck={false}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id} problem`}
        value={text}
        onChange={({ target }) => change(target.value)}
      />
      {problem !== undefined && (
        <p id={`${id} problem`} className="request-problem error ink">
          {problem}; it is sent as text
        </p>
      )}
    </div>
  );
}

function fromRows(rows: readonly Row[]): Texts {
  return Object.fromEntries(rows.filter(([name]) => name !== ''));
}

function without(texts: Texts, name: string): Texts {
  return Object.fromEntries(Object.entries(texts).filter(([each]) => each !== name));
}
