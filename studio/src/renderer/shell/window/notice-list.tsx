import { useEffect, useRef } from 'react';
import { useStore } from '../../state/use-store.ts';
import { Icon } from '../../theme/icon.tsx';
import type { Question } from '../notices.ts';
import { useStudio } from '../studio.ts';

export function NoticeList() {
  const { notices } = useStudio();
  const all = useStore(notices.all);
  return (
    <div className="notices" role="log" aria-label="Notices">
      {all.map(({ id, kind, text, actions }) => (
        <div key={id} className={`notice popover ${kind}`}>
          <Icon name={kind === 'error' ? 'error' : 'bell'} />
          <p>{text}</p>
          {actions.map(({ title, run }) => (
            <button key={title} type="button" className="button" onClick={run}>
              {title}
            </button>
          ))}
          <button type="button" className="icon-button" aria-label="Dismiss" onClick={() => notices.dismiss(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}

export function QuestionDialog() {
  const { notices } = useStudio();
  const question = useStore(notices.question);
  return question && <QuestionBox question={question} />;
}

function QuestionBox({ question: { text, detail, buttons, answer } }: { readonly question: Question }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="popover question" aria-label={text} onCancel={() => answer(undefined)}>
      <h2>{text}</h2>
      {detail !== undefined && <p>{detail}</p>}
      <div className="question-buttons">
        {buttons.map((title, index) => (
          <button
            key={title}
            type="button"
            className={index === 0 ? 'button primary' : 'button'}
            onClick={() => answer(title)}
          >
            {title}
          </button>
        ))}
      </div>
    </dialog>
  );
}
