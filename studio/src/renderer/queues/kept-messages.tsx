import { useState } from 'react';
import type { KeptMessage } from '../../shared/services.ts';
import { useStudio } from '../shell/studio.ts';
import { IconButton } from '../shell/window/icon-button.tsx';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import { JsonTree } from '../values/json-tree.tsx';
import { clockTime } from '../values/values.ts';
import {
  causeOf,
  contentOf,
  type Desk,
  keyOf,
  type Look,
  peeked,
  peekRefusal,
  type Side,
  sendBackTitle,
} from './desk.ts';
import type { QueueSource } from './sources.ts';

interface SideProps {
  readonly desk: Desk;
  readonly connector: string;
}

export function PeekButton({ desk, connector, source }: SideProps & { readonly source: QueueSource | undefined }) {
  const { notices } = useStudio();
  const look = useLook(desk, connector, 'waiting');
  const refusal = peekRefusal(source);
  return (
    <button
      type="button"
      className="button"
      disabled={refusal !== undefined || look?.isLooking === true}
      title={refusal ?? `Look at the next ${peeked} messages; each stays where it is`}
      onClick={() => void desk.look(connector, 'waiting').catch((error: unknown) => notices.failed(error))}
    >
      Peek {peeked}
    </button>
  );
}

/** The next messages, once the person has looked at them. */
export function WaitingMessages({ desk, connector }: SideProps) {
  const look = useLook(desk, connector, 'waiting');
  if (look === undefined) return null;
  return (
    <section className="kept" aria-label="Waiting messages">
      <div className="view-head plain">
        <h2>
          Next in the queue
          <Count look={look} />
        </h2>
        <span className="right">
          <LookAgain desk={desk} connector={connector} side="waiting" look={look} />
          <IconButton icon="close" label="Close" onClick={() => desk.close(connector, 'waiting')} />
        </span>
      </div>
      <Messages look={look} side="waiting" none="No message waits." />
    </section>
  );
}

/** Messages that were given up, and the way back. */
export function DeadLetters({ desk, connector, source }: SideProps & { readonly source: string }) {
  const { notices } = useStudio();
  const look = useLook(desk, connector, 'dead');
  const failed = (error: unknown) => notices.failed(error);
  const count = look?.messages?.length ?? 0;
  return (
    <section className="kept" aria-label="Dead letters">
      <div className="view-head plain">
        <h2>
          Dead letters
          <Count look={look} />
        </h2>
        <span className="right">
          {look === undefined ? (
            <button type="button" className="button" onClick={() => void desk.look(connector, 'dead').catch(failed)}>
              List
            </button>
          ) : (
            <LookAgain desk={desk} connector={connector} side="dead" look={look} />
          )}
          {count > 0 && (
            <button
              type="button"
              className="button"
              disabled={look?.isLooking === true}
              onClick={() => void desk.sendBack(connector, source).catch(failed)}
            >
              <Icon name="undo" />
              {sendBackTitle(count, source)}
            </button>
          )}
        </span>
      </div>
      {look !== undefined && <Messages look={look} side="dead" none="No message was given up." />}
    </section>
  );
}

function useLook(desk: Desk, connector: string, side: Side): Look | undefined {
  return useStore(desk.looks, (all) => all.get(keyOf(connector, side)));
}

function Count({ look }: { readonly look: Look | undefined }) {
  if (look?.messages === undefined) return null;
  const { length } = look.messages;
  return <span className="sub">{length < peeked ? length : `the first ${length}`}</span>;
}

function LookAgain({ desk, connector, side, look }: SideProps & { readonly side: Side; readonly look: Look }) {
  const { notices } = useStudio();
  const again = () => void desk.look(connector, side).catch((error: unknown) => notices.failed(error));
  return (
    <>
      <span className="sub">{look.isLooking ? 'Looking' : `as of ${clockTime(look.at)}`}</span>
      <IconButton icon="refresh" label="Look again" disabled={look.isLooking} onClick={again} />
    </>
  );
}

interface MessagesProps {
  readonly look: Look;
  readonly side: Side;
  readonly none: string;
}

function Messages({ look: { messages }, side, none }: MessagesProps) {
  const [chosen, setChosen] = useState<string>();
  if (messages === undefined) return <p className="section-empty">Asking the broker.</p>;
  if (messages.length === 0) return <p className="section-empty">{none}</p>;
  const shown = messages.find((message) => placeOf(message) === chosen);
  return (
    <>
      <div className="taken-rows">
        <table className="table">
          <colgroup>
            <col style={{ width: 120 }} />
            <col style={{ width: '24%' }} />
            <col />
          </colgroup>
          <thead>
            <tr>
              <th>Position</th>
              <th>Key</th>
              <th>{side === 'dead' ? 'Why it was given up' : 'Message'}</th>
            </tr>
          </thead>
          <tbody>
            {messages.map((message) => (
              <Row
                key={placeOf(message)}
                message={message}
                side={side}
                isShown={message === shown}
                onChoose={() => setChosen(message === shown ? undefined : placeOf(message))}
              />
            ))}
          </tbody>
        </table>
      </div>
      {shown && (
        <div className="message-part">
          <JsonTree key={placeOf(shown)} value={contentOf(shown)} label={`Message ${shown.position}`} />
        </div>
      )}
    </>
  );
}

interface RowProps {
  readonly message: KeptMessage;
  readonly side: Side;
  readonly isShown: boolean;
  readonly onChoose: () => void;
}

function Row({ message, side, isShown, onChoose }: RowProps) {
  const text = side === 'dead' ? causeOf(message) : lineOf(message);
  return (
    <tr className={isShown ? 'selected' : undefined} onClick={onChoose}>
      <td className="mono">
        <button
          type="button"
          className="ellipsis choose"
          aria-pressed={isShown}
          onClick={(event) => {
            event.stopPropagation();
            onChoose();
          }}
        >
          {message.position}
        </button>
      </td>
      <td className="mono">{message.key}</td>
      <td className={side === 'dead' ? undefined : 'mono'} title={text}>
        {text}
      </td>
    </tr>
  );
}

function placeOf({ source, position }: KeptMessage): string {
  return `${source} ${position}`;
}

/** Characters of a message that its row shows. */
const mostShown = 200;

function lineOf({ body, text, base64 }: KeptMessage): string {
  if (base64 !== undefined) return 'bytes that are not text';
  return (text ?? JSON.stringify(body)).slice(0, mostShown);
}
