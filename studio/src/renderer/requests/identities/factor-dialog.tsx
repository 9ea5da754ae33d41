import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { useStore } from '../../state/use-store.ts';
import type { FactorQuestion, Identities } from './identities.ts';

/** Makes the dialog that asks for the code of a second factor. */
export function factorDialog(identities: Identities) {
  return function FactorDialog() {
    const question = useStore(identities.question);
    return question && <DialogBox question={question} identities={identities} />;
  };
}

function DialogBox({ question, identities }: { readonly question: FactorQuestion; readonly identities: Identities }) {
  const box = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [refusal, setRefusal] = useState<string>();
  const [isUnderWay, setUnderWay] = useState(false);
  useEffect(() => box.current?.showModal(), []);
  const prove = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const code = String(new FormData(event.currentTarget).get('code')).replaceAll(' ', '');
    setUnderWay(true);
    identities.prove(code).catch((error: unknown) => {
      setUnderWay(false);
      setRefusal(error instanceof Error ? error.message : String(error));
    });
  };
  const { identity, methods } = question;
  return (
    <dialog ref={box} className="dialog popover" aria-labelledby={`${id}-title`} onClose={() => question.answer(false)}>
      <h2 id={`${id}-title`}>Second factor of {identity.name}</h2>
      <p>
        The password was right. The request is sent when the code is too.
        {methods.length > 0 && ` The account holds: ${methods.join(', ')}.`}
      </p>
      <form className="dialog-form" onSubmit={prove}>
        <label htmlFor={`${id}-code`}>Code</label>
        <input
          id={`${id}-code`}
          name="code"
          className={refusal === undefined ? 'input mono' : 'input mono bad'}
          required
          autoFocus
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={64}
          spellCheck={false}
          aria-describedby={`${id}-refusal`}
        />
        <p id={`${id}-refusal`} role="alert" className="error ink">
          {refusal}
        </p>
        <div className="question-buttons">
          <button type="submit" className="button primary" disabled={isUnderWay}>
            Sign in and send
          </button>
          <button type="button" className="button" onClick={() => question.answer(false)}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  );
}
