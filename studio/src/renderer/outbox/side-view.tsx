import type { OutboxEntry } from '@svc/protocol/wire';
import { serviceOf } from '../run/service.ts';
import { tabOf } from '../shell/layout.ts';
import { useStudio } from '../shell/studio.ts';
import { EmptyState } from '../shell/window/empty-state.tsx';
import { IconButton } from '../shell/window/icon-button.tsx';
import { Section } from '../shell/window/section.tsx';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import { clockTime } from '../values/values.ts';
import { addresseesOf, iconOf, titleOf } from './look.ts';
import type { Outbox } from './outbox.ts';

/** Makes the side view: what the service would have sent, the newest first. */
export function outboxSide(outbox: Outbox) {
  return function OutboxSide() {
    const { folder, entries } = useStore(outbox.state);
    const isKept = typeof folder === 'string';
    return (
      <Section
        title="Outbox"
        sub={isKept ? String(entries.length) : undefined}
        fill
        tools={<IconButton icon="refresh" label="Refresh" disabled={!isKept} onClick={() => void outbox.refresh()} />}
      >
        <div className="section-body">
          {entries.map((entry) => (
            <EntryRow key={entry.name} entry={entry} />
          ))}
          {isKept && entries.length === 0 && (
            <EmptyState acts={[['requests.show', 'Send a request']]} line="svc preview all FLOW">
              Nothing was sent yet. What flows send is kept here and goes nowhere.
            </EmptyState>
          )}
          {!isKept && <Sent isAttached={folder === null} />}
          {isKept && <Keeping folder={folder} />}
        </div>
      </Section>
    );
  };
}

function EntryRow({ entry }: { readonly entry: OutboxEntry }) {
  const { layout } = useStudio();
  const isOpen = useStore(layout.editors, () => layout.active) === tabOf('outbox', entry.name);
  return (
    <button
      type="button"
      className={isOpen ? 'source-row selected' : 'source-row'}
      onClick={() => layout.open(tabOf('outbox', entry.name))}
    >
      <span className="tile k-queue">
        <Icon name={iconOf(entry)} />
      </span>
      <span className="grow">
        <b className="ellipsis">{titleOf(entry)}</b>
        <small className="ellipsis">
          {entry.connector} to {addresseesOf(entry)}
        </small>
      </span>
      <span className="depths numeric">
        <small>{clockTime(Date.parse(entry.at))}</small>
      </span>
    </button>
  );
}

/** A service that sends what it should, or none. */
function Sent({ isAttached }: { readonly isAttached: boolean }) {
  const service = serviceOf(useStudio());
  const { kind } = useStore(service.state);
  const run = () => void (kind === 'running' ? service.restart({ capture: true }) : service.start({ capture: true }));
  return (
    <div className="section-empty">
      <p>
        {isAttached
          ? 'This service sends its notifications.'
          : 'A service can keep its notifications here instead of sending them: mails, chats, text messages, pushes and webhooks.'}
      </p>
      <button type="button" className="button" disabled={kind === 'starting' || kind === 'stopping'} onClick={run}>
        {kind === 'running' ? 'Restart and keep them' : 'Start and keep them'}
      </button>
    </div>
  );
}

function Keeping({ folder }: { readonly folder: string }) {
  const service = serviceOf(useStudio());
  const { kind } = useStore(service.state);
  return (
    <div className="section-empty">
      <p>
        Kept in <code className="mono">{folder}</code>
      </p>
      {kind === 'running' && (
        <button type="button" className="button" onClick={() => void service.restart({ capture: false })}>
          Restart and send them
        </button>
      )}
    </div>
  );
}
