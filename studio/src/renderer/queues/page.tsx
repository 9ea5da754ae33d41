import { useState } from 'react';
import { flowsOf } from '../debug/session/flow-map.ts';
import { debugOf } from '../debug/session/session.ts';
import { useStudio } from '../shell/studio.ts';
import { useStore } from '../state/use-store.ts';
import { lookOfKind } from '../theme/connector-kind.ts';
import { Icon } from '../theme/icon.tsx';
import { type Desk, peekRefusal } from './desk.ts';
import { DeadLetters, PeekButton, WaitingMessages } from './kept-messages.tsx';
import { MessageDetail } from './message-detail.tsx';
import { MessageTable } from './message-table.tsx';
import { Publish } from './publish.tsx';
import type { Queues } from './queues.ts';
import { pullRefusal, type QueueSource } from './sources.ts';
import { Stats } from './stats.tsx';
import { UnderWay } from './under-way.tsx';
import { useFreshSources } from './use-sources.ts';

/** Makes the view of a queue tab: how the source is, the message under way, and those that were taken. */
export function queuePage(queues: Queues, desk: Desk) {
  return function QueuePage({ path: connector }: { readonly path: string }) {
    const debug = debugOf(useStudio());
    useFreshSources(queues);
    const source = useStore(queues.sources, (all) => all.find((each) => each.connector === connector));
    const messages = useStore(queues.messages, (all) => all.filter((each) => each.connector === connector));
    const { connection } = useStore(debug.model.state);
    const [chosen, setChosen] = useState<string>();
    const underWay = messages.filter(({ thread, isLost }) => !thread.ended && !isLost);
    const held = underWay.find(({ thread }) => thread.isPaused) ?? underWay[0];
    const shown = messages.find(({ key }) => key === chosen) ?? held ?? messages[0];
    const isAttached = connection === 'attached';
    return (
      <div className="queue-page">
        <Head queues={queues} desk={desk} connector={connector} source={source} isBusy={underWay.length > 0} />
        {isAttached && source !== undefined && (
          <Stats queues={queues} source={source} isHeld={held?.thread.isPaused === true} />
        )}
        {!isAttached && <Unattached />}
        {held && <UnderWay message={held} ready={source?.ready} />}
        <MessageTable messages={messages} shown={shown} onChoose={setChosen} />
        {shown && <MessageDetail key={shown.key} message={shown} />}
        <Publish key={connector} desk={desk} connector={connector} />
        <WaitingMessages desk={desk} connector={connector} />
        {peekRefusal(source) === undefined && (
          <DeadLetters desk={desk} connector={connector} source={source?.source || connector} />
        )}
      </div>
    );
  };
}

interface HeadProps {
  readonly queues: Queues;
  readonly desk: Desk;
  readonly connector: string;
  readonly source: QueueSource | undefined;
  readonly isBusy: boolean;
}

function Head({ queues, desk, connector, source, isBusy }: HeadProps) {
  const studio = useStudio();
  const flows = flowsOf(studio);
  const debug = debugOf(studio);
  const kind = useStore(flows.outline, ({ connectors }) => connectors.find(({ name }) => name === connector)?.kind);
  const { connection } = useStore(debug.model.state);
  const look = lookOfKind(kind ?? 'queue');
  const consumers = source?.flows ?? [];
  const about = [connector, source?.type, consumers.length > 0 && `consumed by ${consumers.join(', ')}`];
  return (
    <div className="source-head">
      <span className={`tile large ${look.className}`}>
        <Icon name={look.name} />
      </span>
      <span className="grow">
        <b className="ellipsis">{source?.source || connector}</b>
        <small className="ellipsis">{about.filter(Boolean).join(', ')}</small>
      </span>
      <PeekButton desk={desk} connector={connector} source={source} />
      <PullButton
        queues={queues}
        connector={connector}
        refusal={pullRefusal(source, connection === 'attached', isBusy)}
      />
    </div>
  );
}

interface PullProps {
  readonly queues: Queues;
  readonly connector: string;
  readonly refusal: string | undefined;
}

function PullButton({ queues, connector, refusal }: PullProps) {
  const { notices } = useStudio();
  const isPulling = useStore(queues.pulls, (all) => all.has(connector));
  const failed = (error: unknown) => notices.failed(error);
  if (isPulling)
    return (
      <>
        <span className="pulling" role="status">
          <Icon name="hourglass" />
          Waiting for a message
        </span>
        {queues.canCancel && (
          <button type="button" className="button" onClick={() => void queues.cancel(connector).catch(failed)}>
            Cancel
          </button>
        )}
      </>
    );
  return (
    <button
      type="button"
      className="button primary"
      disabled={refusal !== undefined}
      title={refusal ?? 'Take one message from the queue'}
      onClick={() => void queues.pull(connector).catch(failed)}
    >
      <Icon name="pull" />
      Pull one
    </button>
  );
}

function Unattached() {
  const { commands } = useStudio();
  return (
    <div className="empty">
      <p>No service attached. Counts and messages are shown here once one is.</p>
      <div className="acts">
        {commands.isEnabled('run.start') && (
          <button type="button" className="button" onClick={() => commands.run('run.start')}>
            Start this project
          </button>
        )}
        <button type="button" className="button" onClick={() => commands.run('debug.attach')}>
          Attach
        </button>
      </div>
      <code className="command-line">svc start --debug --debug-suspend</code>
    </div>
  );
}
