import type { OutboxMessage } from '@svc/protocol/wire';
import { useEffect, useState } from 'react';
import { debugOf } from '../debug/session/session.ts';
import { useStudio } from '../shell/studio.ts';
import { moveInTabs } from '../shell/window/tab-keys.ts';
import { JsonTree } from '../values/json-tree.tsx';
import { clockTime } from '../values/values.ts';
import { addresseesOf } from './look.ts';
import { Received } from './received.tsx';

/** A tab with one message, as its receiver would see it and as it would be sent. */
export function OutboxPage({ path: name }: { readonly path: string }) {
  const debug = debugOf(useStudio());
  const [message, setMessage] = useState<OutboxMessage>();
  const [problem, setProblem] = useState('');
  useEffect(() => {
    let isOver = false;
    debug.call('debug.outboxMessage', { name }).then(
      (found) => !isOver && setMessage(found),
      (error: Error) => !isOver && setProblem(error.message),
    );
    return () => {
      isOver = true;
    };
  }, [debug, name]);
  if (message === undefined) return <p className="section-empty">{problem || 'Reading …'}</p>;
  return <Message message={message} />;
}

function Message({ message }: { readonly message: OutboxMessage }) {
  const [open, setOpen] = useState(0);
  const { connector, provider, place, at, shown } = message;
  const parts = partsOf(message);
  const part = parts[open] ?? parts[0];
  const facts = [
    ['From', shown.from],
    ['To', addresseesOf({ to: shown.to.slice(0, 20), recipients: shown.to.length })],
    ['Sent by', place],
    ['At', clockTime(Date.parse(at))],
  ].filter(([, value]) => value !== undefined && value !== '');
  return (
    <article className="outbox-message" aria-label={`Message of ${connector}`}>
      <header>
        <h2 className="ellipsis">{shown.title || `${connector}, ${provider}`}</h2>
        <dl>
          {facts.map(([term, value]) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd className="ellipsis">{value}</dd>
            </div>
          ))}
        </dl>
      </header>
      <div className="panel-tabs">
        <div className="panel-tab-list" role="tablist" aria-label="Message" onKeyDown={moveInTabs}>
          {parts.map((each, index) => (
            <button
              key={each.title}
              type="button"
              role="tab"
              aria-selected={each === part}
              tabIndex={each === part ? 0 : -1}
              className={each === part ? 'panel-tab on' : 'panel-tab'}
              onClick={() => setOpen(index)}
            >
              {each.title}
            </button>
          ))}
        </div>
      </div>
      <div className="outbox-part" role="tabpanel" aria-label={part?.title}>
        {part?.title === 'Received' && <Received message={message} />}
        {part?.value !== undefined && <JsonTree key={part.title} value={part.value} label={part.title} />}
        {part?.text !== undefined && <pre className="mono outbox-text">{part.text}</pre>}
      </div>
    </article>
  );
}

interface Part {
  readonly title: string;
  readonly value?: unknown;
  readonly text?: string;
}

/** What can be seen of a message beside what its receiver sees. */
function partsOf({ shown, request, mail }: OutboxMessage): readonly Part[] {
  const parts: Part[] = [{ title: 'Received' }];
  if (shown.html !== undefined && shown.text !== undefined) parts.push({ title: 'Text', text: shown.text });
  if (shown.html !== undefined) parts.push({ title: 'HTML', text: shown.html });
  if (request !== undefined) parts.push({ title: 'Request', value: { ...request, body: readable(request.body) } });
  if (mail !== undefined) parts.push({ title: 'File', text: mail });
  return parts;
}

function readable(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
