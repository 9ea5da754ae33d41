import { useId, useState } from 'react';
import type { DeadLetter } from '../../shared/services.ts';
import { useStudio } from '../shell/studio.ts';
import { Icon } from '../theme/icon.tsx';
import { JsonTree } from '../values/json-tree.tsx';
import { type Desk, nowOf, repairTitle } from './desk.ts';
import { contentOf, editableText, editProblem, historyOf } from './letters.ts';

interface LetterProps {
  readonly desk: Desk;
  readonly connector: string;
  /** Where it came from, for people. */
  readonly source: string;
  readonly letter: DeadLetter;
}

/** One dead letter: what became of it, what it holds, and what can be done with it alone. */
export function LetterDetail({ desk, connector, source, letter }: LetterProps) {
  const { notices } = useStudio();
  const [edited, setEdited] = useState<string>();
  const failed = (error: unknown) => notices.failed(error);
  const text = editableText(letter);
  const history = historyOf(letter);
  return (
    <section className="letter" aria-label={`Dead letter ${letter.position}`}>
      <div className="view-head plain">
        <h2 className="ellipsis">Letter {letter.position}</h2>
        <span className="right">
          {edited === undefined && text !== undefined && (
            <button type="button" className="button" onClick={() => setEdited(text)}>
              Edit and send
            </button>
          )}
          <button
            type="button"
            className="button"
            onClick={() => void desk.sendBack(connector, source, { letters: [letter] }).catch(failed)}
          >
            <Icon name="undo" />
            Send this one back
          </button>
          <button type="button" className="button" onClick={() => void desk.discard(connector, [letter]).catch(failed)}>
            Remove this one
          </button>
        </span>
      </div>
      <dl className="history" aria-label="History">
        {history.map(({ title, detail }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a message may have been given up twice in the same way
          <div key={at}>
            <dt>{title}</dt>
            <dd>{detail}</dd>
          </div>
        ))}
        <div>
          <dt>Now</dt>
          <dd>{nowOf(letter)}</dd>
        </div>
      </dl>
      {edited === undefined ? (
        <div className="message-part">
          <JsonTree value={contentOf(letter)} label={`Message ${letter.position}`} />
        </div>
      ) : (
        <EditForm
          {...{ letter, source, text: edited }}
          onChange={setEdited}
          onCancel={() => setEdited(undefined)}
          onSend={() => void desk.repair(connector, source, letter, edited).catch(failed)}
        />
      )}
    </section>
  );
}

interface EditProps {
  readonly letter: DeadLetter;
  readonly source: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly onSend: () => void;
  readonly onCancel: () => void;
}

function EditForm({ letter, source, text, onChange, onSend, onCancel }: EditProps) {
  const id = useId();
  const problem = editProblem(letter, text);
  return (
    <form
      className="letter-form"
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
    >
      <textarea
        className={problem === undefined ? 'input mono' : 'input mono bad'}
        aria-label="Edited message"
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : id}
        spellCheck={false}
        rows={Math.min(12, text.split('\n').length + 1)}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {problem !== undefined && (
        <p id={id} className="request-problem error ink">
          {problem}
        </p>
      )}
      <div className="letter-acts">
        <button type="submit" className="button primary" disabled={problem !== undefined}>
          {repairTitle(source)}
        </button>
        <button type="button" className="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
