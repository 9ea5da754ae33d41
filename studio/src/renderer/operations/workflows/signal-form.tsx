import { useId, useState } from 'react';
import { useStudio } from '../../shell/studio.ts';
import { payloadProblem } from './workflows.ts';

interface SignalFormProps {
  /** What can be signalled, the next one first. */
  readonly events: readonly string[];
  readonly onSend: (event: string, payload: unknown) => Promise<void>;
  /** It was answered, or refused. */
  readonly onDone: () => void;
}

/** An event for a workflow, and what it brings. */
export function SignalForm({ events, onSend, onDone }: SignalFormProps) {
  const { notices } = useStudio();
  const id = useId();
  const [wanted, setWanted] = useState(events[0] ?? '');
  const [text, setText] = useState('{}');
  const [isBusy, setBusy] = useState(false);
  const event = events.includes(wanted) ? wanted : (events[0] ?? '');
  const problem = payloadProblem(text);
  const send = () => {
    setBusy(true);
    void onSend(event, text.trim() === '' ? {} : (JSON.parse(text) as unknown))
      .catch((error: unknown) => notices.failed(error))
      .finally(() => {
        setBusy(false);
        onDone();
      });
  };
  return (
    <form
      className="letter-form signal-form"
      aria-label="Signal the workflow"
      onSubmit={(submitted) => {
        submitted.preventDefault();
        if (problem === undefined && !isBusy) send();
      }}
    >
      <label>
        Event
        <select className="input mono" value={event} onChange={({ target }) => setWanted(target.value)}>
          {events.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      <textarea
        className={problem === undefined ? 'input mono' : 'input mono bad'}
        aria-label="Payload"
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : id}
        spellCheck={false}
        rows={Math.min(8, text.split('\n').length + 1)}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {problem !== undefined && (
        <p id={id} className="request-problem error ink">
          {problem}
        </p>
      )}
      <div className="letter-acts">
        <button type="submit" className="button primary" disabled={isBusy || problem !== undefined}>
          Signal {event}
        </button>
      </div>
    </form>
  );
}
