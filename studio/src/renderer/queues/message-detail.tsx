import { useState } from 'react';
import { useStudio } from '../shell/studio.ts';
import { IconButton } from '../shell/window/icon-button.tsx';
import { moveInTabs } from '../shell/window/tab-keys.ts';
import { JsonTree } from '../values/json-tree.tsx';
import { clockTime } from '../values/values.ts';
import { idOf, memberOf, type TakenMessage } from './messages.ts';

interface Part {
  readonly title: string;
  readonly value: unknown;
  readonly count?: number | undefined;
}

/** What a message holds, as its flow was given it. */
export function MessageDetail({ message }: { readonly message: TakenMessage }) {
  const { notices } = useStudio();
  const [open, setOpen] = useState(0);
  const { thread } = message;
  const { input } = thread;
  const parts = partsOf(input);
  const part = parts[open] ?? parts[0];
  const copy = () =>
    void navigator.clipboard
      .writeText(JSON.stringify(input, undefined, 2))
      .catch((error: unknown) => notices.failed(error));
  return (
    <section className="message-detail" aria-label="Message">
      <div className="view-head plain">
        <h2 className="mono ellipsis">{idOf(message) || `#${thread.id}`}</h2>
        <span className="sub ellipsis">
          {thread.flow}, {clockTime(thread.startedAt)}
        </span>
        <span className="right">
          <IconButton icon="copy" label="Copy as JSON" disabled={input === undefined} onClick={copy} />
        </span>
      </div>
      {part === undefined ? (
        <p className="section-empty">It began before this window was attached; what it holds is under Variables.</p>
      ) : (
        <>
          <div className="panel-tabs">
            <div className="panel-tab-list" role="tablist" aria-label="Message" onKeyDown={moveInTabs}>
              {parts.map(({ title, count }, at) => (
                <button
                  key={title}
                  type="button"
                  role="tab"
                  aria-selected={parts[at] === part}
                  tabIndex={parts[at] === part ? 0 : -1}
                  className={parts[at] === part ? 'panel-tab on' : 'panel-tab'}
                  onClick={() => setOpen(at)}
                >
                  {title}
                  {count !== undefined && count > 0 && <span className="count">{count}</span>}
                </button>
              ))}
            </div>
          </div>
          <div className="message-part" role="tabpanel" aria-label={part.title}>
            <JsonTree key={part.title} value={part.value} label={part.title} />
          </div>
        </>
      )}
    </section>
  );
}

/** Body, headers and the rest of a message; one part for an input that is built otherwise. */
function partsOf(input: unknown): readonly Part[] {
  if (input === undefined) return [];
  if (memberOf(input, 'body') === undefined) return [{ title: 'Input', value: input }];
  const { body, headers, ...rest } = input as Readonly<Record<string, unknown>>;
  const { properties, ...others } = rest as { readonly properties?: unknown };
  const flat = typeof properties === 'object' && properties !== null ? { ...others, ...properties } : others;
  const parts: Part[] = [{ title: 'Body', value: body }];
  if (typeof headers === 'object' && headers !== null)
    parts.push({ title: 'Headers', value: headers, count: Object.keys(headers).length });
  if (Object.keys(flat).length > 0) parts.push({ title: 'Properties', value: flat });
  return parts;
}
