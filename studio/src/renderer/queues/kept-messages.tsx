import { type ReactNode, useState } from 'react';
import type { DeadLetter, KeptMessage } from '../../shared/services.ts';
import { useStudio } from '../shell/studio.ts';
import { IconButton } from '../shell/window/icon-button.tsx';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import { JsonTree } from '../values/json-tree.tsx';
import { clockTime } from '../values/values.ts';
import {
  type Desk,
  discardTitle,
  keyOf,
  type Look,
  mostPeeked,
  moveTitle,
  nowOf,
  passingOf,
  peeked,
  peekRefusal,
  type Side,
  sendBackTitle,
} from './desk.ts';
import { LetterDetail } from './letter-detail.tsx';
import { causeOf, contentOf } from './letters.ts';
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
      <Condition desk={desk} connector={connector} side="waiting" look={look} />
      <Messages look={look} side="waiting" none="No message waits." />
      <More desk={desk} connector={connector} side="waiting" look={look} />
    </section>
  );
}

/** Messages that were given up, and the way back. */
export function DeadLetters({ desk, connector, source }: SideProps & { readonly source: string }) {
  const { notices } = useStudio();
  const look = useLook(desk, connector, 'dead');
  const failed = (error: unknown) => notices.failed(error);
  const messages = look?.messages ?? [];
  const count = messages.length;
  const passing = passingOf(messages);
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
        </span>
      </div>
      {look !== undefined && (
        <>
          <Condition desk={desk} connector={connector} side="dead" look={look} />
          {count > 0 && (
            <p className="section-empty">{`${passing} of ${count} would pass now; no connector was called.`}</p>
          )}
          {count > 0 && (
            <div className="letter-acts">
              {passing > 0 && passing < count && (
                <button
                  type="button"
                  className="button"
                  disabled={look?.isLooking === true}
                  onClick={() => void desk.sendBack(connector, source, { passing: true }).catch(failed)}
                >
                  <Icon name="undo" />
                  {sendBackTitle(passing, source, true)}
                </button>
              )}
              <button
                type="button"
                className="button"
                disabled={look?.isLooking === true}
                onClick={() => void desk.sendBack(connector, source).catch(failed)}
              >
                <Icon name="undo" />
                {sendBackTitle(count, source)}
              </button>
              <button
                type="button"
                className="button"
                disabled={look?.isLooking === true}
                onClick={() => void desk.discard(connector).catch(failed)}
              >
                {discardTitle(messages)}
              </button>
            </div>
          )}
          <Messages
            look={look}
            side="dead"
            none="No message was given up."
            detail={(letter) => <LetterDetail {...{ desk, connector, source, letter }} />}
          />
          <More desk={desk} connector={connector} side="dead" look={look} />
          {count > 0 && <Move desk={desk} connector={connector} source={source} look={look} />}
        </>
      )}
    </section>
  );
}

function useLook(desk: Desk, connector: string, side: Side): Look | undefined {
  return useStore(desk.looks, (all) => all.get(keyOf(connector, side)));
}

function Count({ look }: { readonly look: Look | undefined }) {
  if (look?.messages === undefined) return null;
  const { length } = look.messages;
  const { limit, all } = look;
  if (length < limit) return <span className="sub">{length}</span>;
  return <span className="sub">{all === undefined ? `the first ${length}` : `${length} of ${all}`}</span>;
}

/** Further messages, where there may be some. */
function More({ desk, connector, side, look }: SideProps & { readonly side: Side; readonly look: Look }) {
  const { notices } = useStudio();
  const { messages = [], limit, all, isLooking } = look;
  if (messages.length < limit || (all !== undefined && all <= messages.length)) return null;
  if (limit >= mostPeeked)
    return <p className="section-empty">{`No more than ${mostPeeked} are shown: choose some by a condition.`}</p>;
  return (
    <div className="letter-acts">
      <button
        type="button"
        className="button"
        disabled={isLooking}
        onClick={() => void desk.more(connector, side).catch((error: unknown) => notices.failed(error))}
      >
        Show more
      </button>
    </div>
  );
}

/** All that are shown to another place. */
function Move({ desk, connector, source, look }: SideProps & { readonly source: string; readonly look: Look }) {
  const { notices } = useStudio();
  const [to, setTo] = useState('');
  const { messages = [], isLooking } = look;
  const place = to.trim();
  return (
    <form
      className="letter-acts"
      onSubmit={(event) => {
        event.preventDefault();
        void desk.sendBack(connector, source, { to: place }).catch((error: unknown) => notices.failed(error));
      }}
    >
      <input
        className="input mono"
        aria-label="Move to"
        placeholder="Another queue, topic or subject"
        spellCheck={false}
        value={to}
        onChange={(event) => setTo(event.currentTarget.value)}
      />
      <button type="submit" className="button" disabled={isLooking || place === ''}>
        {place === '' ? 'Move' : moveTitle(messages.length, place)}
      </button>
    </form>
  );
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

/** Which messages are shown, by an expression. */
function Condition({ desk, connector, side, look }: SideProps & { readonly side: Side; readonly look: Look }) {
  const { notices } = useStudio();
  const [where, setWhere] = useState(look.where);
  return (
    <form
      className="kept-condition"
      onSubmit={(event) => {
        event.preventDefault();
        void desk.look(connector, side, where.trim()).catch((error: unknown) => notices.failed(error));
      }}
    >
      <input
        className="mono"
        aria-label="Only messages where"
        placeholder="Only messages where, such as input.body.total > 100"
        spellCheck={false}
        value={where}
        onChange={(event) => setWhere(event.currentTarget.value)}
      />
      <button type="submit" className="button" disabled={look.isLooking}>
        Filter
      </button>
    </form>
  );
}

interface MessagesProps {
  readonly look: Look;
  readonly side: Side;
  readonly none: string;
  /** What is shown of a dead letter. */
  readonly detail?: (letter: DeadLetter) => ReactNode;
}

function Messages({ look: { messages, where }, side, none, detail }: MessagesProps) {
  const [chosen, setChosen] = useState<string>();
  if (messages === undefined) return <p className="section-empty">Asking the broker.</p>;
  if (messages.length === 0)
    return <p className="section-empty">{where === '' ? none : 'No message meets the condition.'}</p>;
  const shown = messages.find((message) => placeOf(message) === chosen);
  return (
    <>
      <div className="taken-rows">
        <table className="table">
          <colgroup>
            <col style={{ width: 120 }} />
            <col style={{ width: '24%' }} />
            <col />
            {side === 'dead' && <col style={{ width: '28%' }} />}
          </colgroup>
          <thead>
            <tr>
              <th>Position</th>
              <th>Key</th>
              <th>{side === 'dead' ? 'Why it was given up' : 'Message'}</th>
              {side === 'dead' && <th>Now</th>}
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
      {shown && detail && 'now' in shown && <div key={`${placeOf(shown)} ${shown.digest}`}>{detail(shown)}</div>}
      {shown && !detail && (
        <div className="message-part">
          <JsonTree key={placeOf(shown)} value={contentOf(shown)} label={`Message ${shown.position}`} />
        </div>
      )}
    </>
  );
}

interface RowProps {
  readonly message: KeptMessage | DeadLetter;
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
      {'now' in message && <td title={nowOf(message)}>{nowOf(message)}</td>}
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
