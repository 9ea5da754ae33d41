import { useState } from 'react';
import type { HttpAnswer } from '../../shared/services.ts';
import { debugOf } from '../debug/session/session.ts';
import type { Thread } from '../debug/session/thread.ts';
import { useStudio } from '../shell/studio.ts';
import { IconButton } from '../shell/window/icon-button.tsx';
import { moveInTabs } from '../shell/window/tab-keys.ts';
import { useNow } from '../state/use-now.ts';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import { JsonTree } from '../values/json-tree.tsx';
import { maskedJson, withoutTokens } from '../values/tokens.ts';
import { clockTime, shownDuration } from '../values/values.ts';
import { isFor } from './endpoints.ts';
import type { Requests } from './requests.ts';
import { type Exchange, jsonOf, shownSize, sizeOfBody } from './sender.ts';

interface AnswerProps {
  readonly path: string;
  readonly requests: Requests;
  readonly refusal: string | undefined;
}

/** What came back: under way, refused, answered; and what was answered before. */
export function AnswerView({ path, requests: { sender }, refusal }: AnswerProps) {
  const underWay = useStore(sender.underWay, (all) => all.get(path));
  const history = useStore(sender.history, (all) => all.filter((each) => each.path === path));
  const [chosen, setChosen] = useState<string>();
  const shown = history.find(({ id }) => id === chosen) ?? history[0];
  return (
    <section className="answer" aria-label="Answer">
      {refusal !== undefined && <Refused message={refusal} />}
      {underWay !== undefined ? (
        <UnderWay exchange={underWay} />
      ) : shown === undefined ? (
        refusal === undefined && (
          <div className="empty answer-empty">
            <p>
              Send it, and the answer is shown here. It is sent by this machine, as <code>curl</code> would.
            </p>
          </div>
        )
      ) : (
        <Answered key={shown.id} exchange={shown} />
      )}
      {history.length > 1 && <History all={history} shown={shown} onChoose={setChosen} />}
    </section>
  );
}

function Refused({ message }: { readonly message: string }) {
  const { commands } = useStudio();
  return (
    <div className="note error" role="alert">
      <Icon name="error" />
      <span className="grow">{message}</span>
      {message.startsWith('{{base}}') && commands.isEnabled('run.start') && (
        <button type="button" className="button" onClick={() => commands.run('run.start')}>
          <Icon name="play" />
          Start this project
        </button>
      )}
    </div>
  );
}

function UnderWay({ exchange: { at, sent } }: { readonly exchange: Exchange }) {
  const studio = useStudio();
  const { notices } = studio;
  const debug = debugOf(studio);
  const now = useNow(true);
  const { threads } = useStore(debug.model.state);
  const held = threads.filter(
    ({ isPaused, holds }) => isPaused && holds?.kind === 'request' && isFor(holds.method, holds.route, sent),
  );
  const resume = ({ id }: Thread) =>
    void debug.call('debug.continue', { threadId: id }).catch((error: unknown) => notices.failed(error));
  return (
    <>
      <div className="note" role="status">
        <Icon name="hourglass" />
        <span className="grow numeric">Waiting for the answer, {Math.max(0, Math.round((now - at) / 1000))} s</span>
      </div>
      {held.map((thread) => (
        <div key={thread.id} className="note paused-ink">
          <Icon name="pause" />
          <button type="button" className="grow ellipsis held" onClick={() => debug.model.focused.set(thread.id)}>
            {pausedText(thread)}
          </button>
          <button type="button" className="button" onClick={() => resume(thread)}>
            <Icon name="play" />
            Continue
          </button>
        </div>
      ))}
    </>
  );
}

/** `Paused in create_order, before rule total`. */
function pausedText({ flow, stage, name, rule }: Thread): string {
  return `Paused in ${flow}, before ${rule ? `rule ${rule.target}` : [stage, name].filter(Boolean).join(' ')}`;
}

function Answered({ exchange: { sent, as, answer, problem } }: { readonly exchange: Exchange }) {
  const [part, setPart] = useState<'body' | 'headers'>('body');
  const [isText, setText] = useState(false);
  if (answer === undefined)
    return (
      <div className="note error" role="alert">
        <Icon name="error" />
        <span className="grow">
          {sent.method} {sent.url}
          {as !== undefined && ` as ${as}`}: {problem}
        </span>
      </div>
    );
  const json = jsonOf(answer);
  return (
    <>
      <div className="answer-head">
        <span className={`badge ${classOfStatus(answer.status)}`}>
          {answer.status} {answer.statusText}
        </span>
        <span className="numeric faint">{shownDuration(answer.durationMs * 1000)}</span>
        <span className="numeric faint">{shownSize(sizeOfBody(answer))}</span>
        <span className="grow mono faint ellipsis" title={sent.url}>
          {sent.method} {sent.url}
          {as !== undefined && ` as ${as}`}
        </span>
      </div>
      <div className="panel-tabs">
        <div className="panel-tab-list" role="tablist" aria-label="Answer" onKeyDown={moveInTabs}>
          {(['body', 'headers'] as const).map((each) => (
            <button
              key={each}
              type="button"
              role="tab"
              aria-selected={part === each}
              tabIndex={part === each ? 0 : -1}
              className={part === each ? 'panel-tab on' : 'panel-tab'}
              onClick={() => setPart(each)}
            >
              {each === 'body' ? 'Body' : 'Headers'}
              {each === 'headers' && <span className="count">{Object.keys(answer.headers).length}</span>}
            </button>
          ))}
        </div>
        <span className="grow" />
        {part === 'body' && json !== undefined && (
          <IconButton icon="tree" label="As a tree" pressed={!isText} onClick={() => setText(!isText)} />
        )}
        <CopyBody answer={answer} />
      </div>
      <div className="answer-part" role="tabpanel" aria-label={part === 'body' ? 'Body' : 'Headers'}>
        {part === 'headers' ? (
          <JsonTree value={answer.headers} label="Headers" />
        ) : json !== undefined && !isText ? (
          <JsonTree value={json.value} label="Body" />
        ) : (
          <BodyText answer={answer} text={json ? maskedJson(json.value) : withoutTokens(answer.body)} />
        )}
      </div>
    </>
  );
}

/** Characters that are drawn; the rest can be saved. */
const drawn = 200_000;

/** `text`: the body as it is drawn, without the tokens in it. */
function BodyText({ answer, text }: { readonly answer: HttpAnswer; readonly text: string }) {
  if (answer.encoding === 'base64')
    return (
      <p className="section-empty">{shownSize(sizeOfBody(answer))} that are not text. Save them to look at them.</p>
    );
  if (text === '') return <p className="section-empty">No body</p>;
  return (
    <>
      {(answer.truncated || text.length > drawn) && (
        <p className="section-empty">
          {answer.truncated ? 'Only the first 5 MiB came over' : 'Cut after 200,000 characters'}
        </p>
      )}
      <pre className="answer-text mono">{text.slice(0, drawn)}</pre>
    </>
  );
}

function CopyBody({ answer: { body, encoding } }: { readonly answer: HttpAnswer }) {
  const { bridge, notices } = useStudio();
  const failed = (error: unknown) => notices.failed(error);
  const base64 = encoding === 'base64';
  const save = () => void bridge.call('system.saveAs', { name: 'answer', content: body, base64 }).catch(failed);
  const copy = () => void navigator.clipboard.writeText(body).catch(failed);
  return (
    <>
      {!base64 && <IconButton icon="copy" label="Copy the body" onClick={copy} />}
      <IconButton icon="download" label="Save the body" onClick={save} />
    </>
  );
}

interface HistoryProps {
  readonly all: readonly Exchange[];
  readonly shown: Exchange | undefined;
  readonly onChoose: (id: string) => void;
}

function History({ all, shown, onChoose }: HistoryProps) {
  return (
    <section className="answer-history" aria-label="Earlier answers">
      {all.map(({ id, at, answer, sent }) => (
        <button
          key={id}
          type="button"
          className={id === shown?.id ? 'row selected' : 'row'}
          aria-pressed={id === shown?.id}
          onClick={() => onChoose(id)}
        >
          <span className={`ink numeric ${classOfStatus(answer?.status ?? 599)}`}>{answer?.status ?? 'none'}</span>
          <span className="name mono ellipsis">
            {sent.method} {pathOf(sent.url)}
          </span>
          <span className="meta numeric">
            {answer && `${shownDuration(answer.durationMs * 1000)}, `}
            {clockTime(at)}
          </span>
        </button>
      ))}
    </section>
  );
}

function classOfStatus(status: number): string {
  if (status < 300) return 'ok';
  return status < 400 ? 'info' : status < 500 ? 'warning' : 'error';
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}
