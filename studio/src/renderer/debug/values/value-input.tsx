import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { mask } from '../../values/mask.ts';

interface ValueInputProps {
  readonly value: unknown;
  /** Rejects with the reason when the text is not a value, or the service does not take it. */
  readonly onChange: (text: string) => Promise<void>;
  /** The field is not needed any more; the focus goes back to its line. */
  readonly onDone: () => void;
  /** The focus went elsewhere before another text was typed. */
  readonly onLeave: () => void;
}

/** A field for another value. It stays open, with what was typed, until the value is taken or the person gives up. */
export function ValueInput({ value, onChange, onDone, onLeave }: ValueInputProps) {
  const field = useRef<HTMLInputElement>(null);
  const [first] = useState(() => (value === mask ? '' : JSON.stringify(value)));
  const [problem, setProblem] = useState('');
  const isSending = useRef(false);
  const id = useId();
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const send = (text: string) => {
    if (isSending.current) return;
    isSending.current = true;
    onChange(text).then(onDone, (error: Error) => {
      isSending.current = false;
      setProblem(error.message);
    });
  };
  const pressed = (event: KeyboardEvent<HTMLInputElement>) => {
    event.stopPropagation();
    if (event.key === 'Enter') send(event.currentTarget.value);
    if (event.key === 'Escape') onDone();
  };
  return (
    <span className="value-edit">
      <input
        ref={field}
        className="value-input"
        defaultValue={first}
        aria-label="New value, as JSON or a CEL literal"
        aria-invalid={problem !== ''}
        aria-describedby={problem === '' ? undefined : id}
        spellCheck={false}
        onClick={(event) => event.stopPropagation()}
        onDoubleClick={(event) => event.stopPropagation()}
        onKeyDown={pressed}
        onChange={() => setProblem('')}
        onBlur={({ currentTarget }) => currentTarget.value === first && onLeave()}
      />
      {problem !== '' && (
        <span id={id} className="ink error value-problem" role="alert">
          {problem}
        </span>
      )}
    </span>
  );
}
