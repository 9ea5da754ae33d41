import type { CacheEntry, FlowCache } from '@svc/protocol/wire';
import { useEffect } from 'react';
import { useStore } from '../../state/use-store.ts';
import { lookOfKind } from '../../theme/connector-kind.ts';
import { Icon } from '../../theme/icon.tsx';
import { groupedDigits } from '../../values/values.ts';
import { shownTime } from '../amounts.ts';
import { Head, LiveContent } from '../page-parts.tsx';
import { UnlockBar } from '../unlock-bar.tsx';
import { type Caches, hitShare, summaryOf } from './caches.ts';
import type { Chosen } from './key-list.ts';
import { FlowKeys } from './keys.tsx';

/** Makes the tab with the answers that flows of the attached service keep. */
export function cachesPage(caches: Caches) {
  return function CachesPage() {
    const live = useStore(caches.list.state);
    useEffect(() => caches.list.watch(), []);
    const { value } = live;
    const about = value === undefined || value.length === 0 ? 'Answers that flows keep' : summaryOf(value);
    return (
      <section className="operation-page caches-page" aria-label="Caches">
        <Head icon={lookOfKind('cache').name} title="Caches" about={about} />
        {value !== undefined && value.length > 0 && <UnlockBar what="drop what flows keep" />}
        <LiveContent live={live} isKnown={caches.list.isKnown} what="Answers that flows keep">
          {(entries) => (entries.length === 0 ? <NoneKept /> : <Kept caches={caches} entries={entries} />)}
        </LiveContent>
      </section>
    );
  };
}

function NoneKept() {
  return (
    <div className="empty">
      <p>No flow of this service keeps its answers. One that reads can, in a connector of type cache:</p>
      <pre className="mono plugin-example">
        {
          'flow "order" {\n  cache {\n    storage = "memory"\n    ttl     = "5m"\n    key     = "order:${input.id}"\n  }\n}'
        }
      </pre>
      <code className="command-line">svc docs cache</code>
    </div>
  );
}

function Kept({ caches, entries }: { readonly caches: Caches; readonly entries: readonly CacheEntry[] }) {
  const chosen = useStore(caches.keys.state, ({ of }) => of);
  const first = entries[0]?.flows[0];
  const { of } = caches.keys.state.value;
  useEffect(() => {
    if (of === undefined && first !== undefined) void caches.keys.choose(first);
  }, [caches, of, first]);
  const cache = entries.find(({ flows }) => flows.some((flow) => isSame(flow, chosen)));
  const flow = cache?.flows.find((each) => isSame(each, chosen));
  return (
    <div className="cache-split">
      <nav className="cache-flows" aria-label="Flows that keep answers">
        {entries.map((entry) => (
          <CacheGroup key={entry.connector} caches={caches} cache={entry} chosen={chosen} />
        ))}
      </nav>
      {cache !== undefined && flow !== undefined && (
        <FlowKeys key={`${flow.flow} ${flow.aspect}`} caches={caches} cache={cache} flow={flow} />
      )}
    </div>
  );
}

interface GroupProps {
  readonly caches: Caches;
  readonly cache: CacheEntry;
  readonly chosen: Chosen | undefined;
}

/** One cache: what it has counted, and the flows that keep answers in it. */
function CacheGroup({ caches, cache, chosen }: GroupProps) {
  const { connector, driver, isShared, entries, hits, misses, unreadable, flows } = cache;
  const share = hitShare(cache);
  const facts = [
    driver,
    isShared ? 'shared by processes' : 'in each process',
    entries !== null && `${groupedDigits(entries)} entries`,
  ];
  const percent = share === undefined ? undefined : Math.round(share * 100);
  return (
    <section aria-label={`Cache ${connector}`}>
      <header className="cache-head">
        <b className="ellipsis">{connector}</b>
        <small className="ellipsis">{facts.filter(Boolean).join(', ')}</small>
        <div
          className="hit-share"
          title={`${groupedDigits(hits)} answered by the cache, ${groupedDigits(misses)} not${unreadable > 0 ? `, ${groupedDigits(unreadable)} unreadable` : ''}`}
        >
          <span className="hit-bar" aria-hidden>
            <span style={{ width: `${percent ?? 0}%` }} />
          </span>
          <small>{percent === undefined ? 'not asked yet' : `${percent} % hits`}</small>
        </div>
      </header>
      {flows.map((flow) => (
        <button
          key={`${flow.flow} ${flow.aspect}`}
          type="button"
          className={isSame(flow, chosen) ? 'source-row selected' : 'source-row'}
          aria-current={isSame(flow, chosen)}
          onClick={() => void caches.keys.choose(flow)}
        >
          <span className="tile">
            <Icon name="flow" />
          </span>
          <span className="grow">
            <b className="ellipsis">{flow.flow}</b>
            <small className="ellipsis">{keptFor(flow)}</small>
          </span>
        </button>
      ))}
    </section>
  );
}

function keptFor({ aspect, ttlMs }: FlowCache): string {
  const kept = ttlMs === null ? 'kept for ever' : `kept for ${shownTime(ttlMs)}`;
  return aspect === '' ? kept : `aspect ${aspect}, ${kept}`;
}

function isSame({ flow, aspect }: FlowCache, chosen: Chosen | undefined): boolean {
  return flow === chosen?.flow && aspect === chosen.aspect;
}
