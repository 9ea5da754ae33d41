import { flowsOf } from '../debug/session/flow-map.ts';
import { debugOf } from '../debug/session/session.ts';
import { serviceOf } from '../run/service.ts';
import { tabOf } from '../shell/layout.ts';
import { useStudio } from '../shell/studio.ts';
import { IconButton } from '../shell/window/icon-button.tsx';
import { Section } from '../shell/window/section.tsx';
import { useStore } from '../state/use-store.ts';
import { lookOfKind } from '../theme/connector-kind.ts';
import { Icon } from '../theme/icon.tsx';
import { groupedDigits } from '../values/values.ts';
import type { Queues } from './queues.ts';
import { gateOf, type Position, type QueueSource } from './sources.ts';
import { useFreshSources } from './use-sources.ts';

/** Makes the side view: what the flows take messages from, and how freely. */
export function queuesSide(queues: Queues) {
  return function QueuesSide() {
    const debug = debugOf(useStudio());
    useFreshSources(queues);
    const sources = useStore(queues.sources);
    const { connection } = useStore(debug.model.state);
    const isAttached = connection === 'attached';
    return (
      <>
        <Section
          title="Sources"
          sub={isAttached ? String(sources.length) : undefined}
          tools={
            <IconButton icon="refresh" label="Refresh" disabled={!isAttached} onClick={() => void queues.refresh()} />
          }
        >
          {sources.map((source) => (
            <SourceRow key={source.connector} source={source} />
          ))}
          {!isAttached && <Detached />}
          {isAttached && sources.length === 0 && <NoSources />}
        </Section>
        {isAttached && sources.length > 0 && queues.canGate && <Gate queues={queues} sources={sources} />}
      </>
    );
  };
}

function SourceRow({ source: { connector, type, source, ready, manualConsume } }: { readonly source: QueueSource }) {
  const studio = useStudio();
  const { layout } = studio;
  const flows = flowsOf(studio);
  const isOpen = useStore(layout.editors, () => layout.active) === tabOf('queues', connector);
  const kind = useStore(flows.outline, ({ connectors }) => connectors.find(({ name }) => name === connector)?.kind);
  const look = lookOfKind(kind ?? 'queue');
  return (
    <button
      type="button"
      className={isOpen ? 'source-row selected' : 'source-row'}
      onClick={() => layout.open(tabOf('queues', connector))}
    >
      <span className={`tile ${look.className}`}>
        <Icon name={look.name} />
      </span>
      <span className="grow">
        <b className="ellipsis">{source || connector}</b>
        <small className="ellipsis">
          {connector}, {type}
        </small>
      </span>
      {typeof ready === 'number' ? (
        <span className="depths numeric">
          {groupedDigits(ready)}
          <small>ready</small>
        </span>
      ) : (
        !manualConsume && (
          <span className="depths">
            <small>pushed</small>
          </span>
        )
      )}
    </button>
  );
}

function Detached() {
  const studio = useStudio();
  const { commands } = studio;
  const flows = flowsOf(studio);
  const service = serviceOf(studio);
  const { kind } = useStore(service.state);
  const outline = useStore(flows.outline);
  const queued = new Set(outline.connectors.filter((each) => each.kind === 'queue').map(({ name }) => name));
  const consumed = new Set(
    outline.flows.flatMap(({ source }) => (source && queued.has(source.connector) ? [source.connector] : [])),
  );
  if (consumed.size === 0) return <NoSources />;
  return (
    <div className="empty">
      <p>
        No service attached. Flows here consume from {[...consumed].join(', ')}; to look and to pull needs an attached
        session.
      </p>
      <div className="acts">
        <button
          type="button"
          className="button primary"
          disabled={!commands.isEnabled('run.start')}
          onClick={() => commands.run('run.start')}
        >
          {kind === 'starting' ? 'Starting' : 'Start this project'}
        </button>
        <button type="button" className="button" onClick={() => commands.run('debug.attach')}>
          Attach
        </button>
      </div>
      <code className="command-line">svc start --debug --debug-suspend</code>
    </div>
  );
}

function NoSources() {
  return (
    <div className="empty">
      <p>
        No flow of this project consumes from a queue. One does whose <code>from</code> names a message broker.
      </p>
      <code className="command-line">svc docs from</code>
    </div>
  );
}

const gates: readonly { readonly position: Position; readonly title: string; readonly detail: string }[] = [
  { position: 'open', title: 'Open', detail: 'Messages flow as in production' },
  { position: 'single', title: 'One at a time', detail: 'The next waits until this one ends' },
  { position: 'demand', title: 'On demand', detail: 'Nothing moves until you pull' },
];

export function gateTitle(position: Position): string {
  return gates.find((each) => each.position === position)?.title ?? position;
}

function Gate({ queues, sources }: { readonly queues: Queues; readonly sources: readonly QueueSource[] }) {
  const { notices } = useStudio();
  const current = gateOf(sources);
  const set = (position: Position) => void queues.setGate(position).catch((error: unknown) => notices.failed(error));
  return (
    <Section title="Gate" sub="for every source in this session">
      <div className="gates" role="radiogroup" aria-label="Gate">
        {gates.map(({ position, title, detail }) => (
          <label key={position} className={position === current ? 'gate-choice on' : 'gate-choice'}>
            <input
              type="radio"
              className="visually-hidden"
              name="gate"
              checked={position === current}
              onChange={() => set(position)}
            />
            <span className="radio" />
            <span>
              <b>{title}</b>
              <small>{detail}</small>
            </span>
          </label>
        ))}
        <p className="gate-note">
          {current === undefined ? 'Sources differ; a choice sets them all. ' : ''}Gates open when the last client
          leaves.
        </p>
      </div>
    </Section>
  );
}
