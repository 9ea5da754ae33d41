import { useId, useState } from 'react';
import { useStudio } from '../shell/studio.ts';
import { IconButton } from '../shell/window/icon-button.tsx';
import type { Desk, Draft } from './desk.ts';
import { publishProblem } from './letters.ts';

interface PublishProps {
  readonly desk: Desk;
  readonly connector: string;
}

/** A test message, which begins as one of the type that the flows take. */
export function Publish({ desk, connector }: PublishProps) {
  const { notices } = useStudio();
  const [draft, setDraft] = useState<Draft>();
  const [isBusy, setBusy] = useState(false);
  const busily = (work: () => Promise<void>) => {
    setBusy(true);
    void work()
      .catch((error: unknown) => notices.failed(error))
      .finally(() => setBusy(false));
  };
  const begin = () => busily(async () => setDraft(await desk.sample(connector, draft?.target ?? '')));
  return (
    <section className="kept" aria-label="Publish">
      <div className="view-head plain">
        <h2>Publish a test message</h2>
        <span className="right">
          {draft === undefined ? (
            <button type="button" className="button" disabled={isBusy} onClick={begin}>
              {isBusy ? 'Making one' : 'Write one'}
            </button>
          ) : (
            <>
              <button type="button" className="button" disabled={isBusy} onClick={begin}>
                From the type
              </button>
              <IconButton icon="close" label="Close" onClick={() => setDraft(undefined)} />
            </>
          )}
        </span>
      </div>
      {draft !== undefined && (
        <DraftForm
          draft={draft}
          isBusy={isBusy}
          onChange={setDraft}
          onSend={() => busily(() => desk.publish(connector, draft))}
        />
      )}
    </section>
  );
}

interface DraftProps {
  readonly draft: Draft;
  readonly isBusy: boolean;
  readonly onChange: (draft: Draft) => void;
  readonly onSend: () => void;
}

function DraftForm({ draft, isBusy, onChange, onSend }: DraftProps) {
  const id = useId();
  const { text, target, reason } = draft;
  const problem = publishProblem(text);
  return (
    <form
      className="letter-form"
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
    >
      {reason !== undefined && <p className="section-empty">{reason}</p>}
      <textarea
        className={problem === undefined ? 'input mono' : 'input mono bad'}
        aria-label="Test message"
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : id}
        spellCheck={false}
        rows={Math.min(12, text.split('\n').length + 1)}
        value={text}
        onChange={(event) => onChange({ ...draft, text: event.currentTarget.value })}
      />
      {problem !== undefined && (
        <p id={id} className="request-problem error ink">
          {problem}
        </p>
      )}
      <div className="letter-acts">
        <input
          className="input mono"
          aria-label="Queue, topic or subject"
          placeholder="Where the flows take messages from"
          spellCheck={false}
          value={target}
          onChange={(event) => onChange({ ...draft, target: event.currentTarget.value })}
        />
        <button type="submit" className="button primary" disabled={isBusy || problem !== undefined}>
          {target.trim() === '' ? 'Publish 1 message' : `Publish 1 message to ${target.trim()}`}
        </button>
      </div>
    </form>
  );
}
