import { useNow } from '../state/use-now.ts';
import { Icon, type IconName } from '../theme/icon.tsx';
import { clockTime, shownDuration } from '../values/values.ts';
import { idOf, type Outcome, outcomeOf, settlements, type TakenMessage } from './messages.ts';

interface TableProps {
  readonly messages: readonly TakenMessage[];
  readonly shown: TakenMessage | undefined;
  readonly onChoose: (key: string) => void;
}

/** The messages of a source that were taken while this window was attached. */
export function MessageTable({ messages, shown, onChoose }: TableProps) {
  const now = useNow(messages.some(({ thread }) => thread.isPaused));
  return (
    <section className="taken" aria-label="Taken messages">
      <h2 className="view-head plain">
        Taken in this session<span className="sub">{messages.length}</span>
      </h2>
      {messages.length === 0 ? (
        <p className="section-empty">Nothing was taken yet. What is pulled, or comes by itself, is listed here.</p>
      ) : (
        <div className="taken-rows">
          <table className="table">
            <colgroup>
              <col style={{ width: 84 }} />
              <col style={{ width: '22%' }} />
              <col style={{ width: '18%' }} />
              <col />
              <col style={{ width: 84 }} />
            </colgroup>
            <thead>
              <tr>
                <th>Taken</th>
                <th>Message</th>
                <th>Flow</th>
                <th>Outcome</th>
                <th className="end">Took</th>
              </tr>
            </thead>
            <tbody>
              {messages.map((message) => (
                <Row key={message.key} {...{ message, now, onChoose }} isShown={message.key === shown?.key} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

const looks: Readonly<Record<Outcome['kind'], { readonly icon: IconName; readonly className: string }>> = {
  paused: { icon: 'pause', className: 'paused-ink' },
  running: { icon: 'play', className: 'info' },
  acknowledged: { icon: 'okc', className: 'ok' },
  turned: { icon: 'gate', className: 'gate' },
  failed: { icon: 'error', className: 'error' },
  lost: { icon: 'help', className: '' },
};

interface RowProps {
  readonly message: TakenMessage;
  readonly now: number;
  readonly isShown: boolean;
  readonly onChoose: (key: string) => void;
}

function Row({ message, now, isShown, onChoose }: RowProps) {
  const { key, thread } = message;
  const { kind, text } = outcomeOf(message);
  const { icon, className } = looks[kind];
  const rowClass = kind === 'paused' ? 'stopped' : isShown ? 'selected' : undefined;
  return (
    <tr className={rowClass} onClick={() => onChoose(key)}>
      <td className="numeric">{clockTime(thread.startedAt)}</td>
      <td className="mono">
        <button type="button" className="ellipsis choose" aria-pressed={isShown} onClick={() => onChoose(key)}>
          {idOf(message) || `#${thread.id}`}
        </button>
      </td>
      <td className="mono">{thread.flow}</td>
      <td title={[text, settlements[kind]].filter(Boolean).join('. ')}>
        <span className={`outcome ${className}`}>
          <Icon name={icon} />
          {text}
        </span>
      </td>
      <td className="numeric end">{tookOf(message, now)}</td>
    </tr>
  );
}

function tookOf({ thread: { ended, isPaused, pausedAt } }: TakenMessage, now: number): string {
  if (ended) return shownDuration(ended.durationUs);
  return isPaused ? `${Math.max(0, Math.round((now - (pausedAt ?? now)) / 1000))} s` : '';
}
