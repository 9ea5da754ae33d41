import { type FormEvent, useEffect, useRef, useState } from 'react';
import { ExpressionField } from '../../expressions/expression-field.tsx';
import { useStore } from '../../state/use-store.ts';
import { useDebugger } from '../debugger.ts';
import { debugOf } from '../session/session.ts';
import { titleOf } from './breakpoint-list.tsx';
import type { Mark } from './breakpoints.ts';

/** Asks what a breakpoint waits for, and whether it stops or writes. */
export function BreakpointForm() {
  const mark = useStore(useDebugger().edited);
  return mark && <FormOf mark={mark} />;
}

function FormOf({ mark }: { readonly mark: Mark }) {
  const { studio, flows, stops, edited } = useDebugger();
  const [condition, setCondition] = useState(mark.condition ?? '');
  const stop = stops.find(mark);
  const { breakpoints, model } = debugOf(studio);
  const { connection, capabilities } = useStore(model.state);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const close = () => edited.set(undefined);
  const may = (capability: string) => connection !== 'attached' || capabilities.has(capability);
  const keep = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const text = (name: string) => String(data.get(name) ?? '').trim() || undefined;
    const hits = text('hitCount');
    breakpoints.set({
      ...mark,
      condition: condition.trim() || undefined,
      hitCount: hits === undefined ? undefined : Number(hits),
      logMessage: text('logMessage'),
    });
    close();
  };
  return (
    <dialog ref={dialog} className="popover question" aria-labelledby="breakpoint-form-title" onCancel={close}>
      <form onSubmit={keep}>
        <h2 id="breakpoint-form-title">
          Breakpoint {titleOf(mark, flows, stops)} of {mark.flow}
        </h2>
        <div className="dialog-field">
          <span className="label">Stops when</span>
          <ExpressionField
            className="input below"
            label="Stops when"
            value={condition}
            onChange={setCondition}
            place={stop && { path: stop.file, offset: stop.start }}
            placeholder="size(input.items) > 10"
            autoFocus
          />
          <label htmlFor="breakpoint-hits">From hit</label>
          <input
            id="breakpoint-hits"
            name="hitCount"
            type="number"
            min={1}
            className="input"
            defaultValue={mark.hitCount}
            placeholder="1"
            disabled={!may('hitCount')}
          />
          <label htmlFor="breakpoint-log">Logs instead</label>
          <input
            id="breakpoint-log"
            name="logMessage"
            className="input mono"
            defaultValue={mark.logMessage}
            placeholder="total {output.total}"
            spellCheck={false}
            disabled={!may('log')}
          />
        </div>
        <p>
          The condition is CEL. A log message writes to the debug console and stops nothing; expressions are in braces.
        </p>
        <div className="question-buttons">
          <button type="submit" className="button primary">
            Set breakpoint
          </button>
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  );
}
