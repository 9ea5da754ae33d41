import { useEffect, useState } from 'react';
import type { PreviewedMessage } from '../../shared/services.ts';
import { flowsOf } from '../debug/session/flow-map.ts';
import { debugOf } from '../debug/session/session.ts';
import type { Thread } from '../debug/session/thread.ts';
import { useStudio } from '../shell/studio.ts';
import { Section } from '../shell/window/section.tsx';
import { useStore } from '../state/use-store.ts';
import { Received } from './received.tsx';

/** Beside a thread that is paused before it sends: what its receiver would get. */
export function PreviewView() {
  const studio = useStudio();
  const flows = flowsOf(studio);
  const thread = useStore(
    debugOf(studio).model.state,
    ({ threads }) => threads.filter(({ isPaused }) => isPaused).sort((a, b) => b.moved - a.moved)[0],
  );
  useStore(flows.outline);
  const stage = thread && flows.stage(thread.flow, thread.stage, thread.name);
  const connector = stage && flows.connectorOf(stage);
  if (thread === undefined || connector?.kind !== 'notify') return null;
  return (
    <Section title="Would be sent" sub={connector.name}>
      <Preview key={`${thread.id} ${thread.stop}`} thread={thread} connector={connector.name} />
    </Section>
  );
}

function Preview({ thread, connector }: { readonly thread: Thread; readonly connector: string }) {
  const { bridge } = useStudio();
  const [messages, setMessages] = useState<readonly PreviewedMessage[]>();
  const [problem, setProblem] = useState('');
  const { flow, input } = thread;
  useEffect(() => {
    let isOver = false;
    bridge.call('service.preview', { flow, input: JSON.stringify(input) }).then(
      (found) => !isOver && setMessages(found.messages.filter((each) => each.connector === connector)),
      (error: Error) => !isOver && setProblem(error.message),
    );
    return () => {
      isOver = true;
    };
  }, [bridge, flow, input, connector]);
  if (messages === undefined) return <p className="section-empty">{problem || 'Asking what the flow would send …'}</p>;
  if (messages.length === 0) return <p className="section-empty">The flow sends nothing by it for this message.</p>;
  return (
    <div className="section-body outbox-preview">
      {messages.map((message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have no names, and their order does not change
        <div key={index}>
          <p className="sub ellipsis">To {message.shown.to.slice(0, 5).join(', ')}</p>
          {message.shown.title !== undefined && message.medium === 'mail' && <b>{message.shown.title}</b>}
          <Received message={message} />
        </div>
      ))}
    </div>
  );
}
