import type { KeptEntry, KeptKey } from '@svc/protocol/wire';
import { useEffect, useState } from 'react';
import { debugOf } from '../../debug/session/session.ts';
import { useStudio } from '../../shell/studio.ts';
import { IconButton } from '../../shell/window/icon-button.tsx';
import { useStore } from '../../state/use-store.ts';
import { Icon } from '../../theme/icon.tsx';
import { JsonTree } from '../../values/json-tree.tsx';
import { shownSize } from '../amounts.ts';
import { changesOf } from '../changes.ts';
import type { Caches } from './caches.ts';
import type { Chosen } from './key-list.ts';

interface EntryViewProps {
  readonly caches: Caches;
  readonly of: Chosen;
  readonly entry: KeptKey;
  /** When the list was read: then the entry is read again. */
  readonly shownAt: number;
  readonly onClose: () => void;
}

/** One answer that is kept. */
export function EntryView({ caches, of: { flow, aspect }, entry, shownAt, onClose }: EntryViewProps) {
  const studio = useStudio();
  const key = entry.key as string;
  const read = useEntry({ flow, aspect }, key, shownAt);
  const isUnlocked = useStore(changesOf(studio).isUnlocked);
  const drop = async () => {
    const dropped = await caches.drop({ flow, aspect }, key);
    onClose();
    if (dropped === 0) studio.notices.show('info', 'It was gone already.');
  };
  return (
    <section className="cache-entry" aria-label="Answer">
      <header className="view-head plain">
        <h2 className="mono ellipsis" title={entry.shown}>
          {entry.shown}
        </h2>
        <span className="right">
          {read?.entry?.status != null && <span className="badge">status {read.entry.status}</span>}
          <span className="sub">{shownSize(entry.size)}</span>
          <button
            type="button"
            className="button"
            disabled={!isUnlocked}
            title={isUnlocked ? 'Drop this answer' : 'Locked: unlock changes first'}
            onClick={() => void drop().catch((error: unknown) => studio.notices.failed(error))}
          >
            <Icon name="trash" />
            Drop
          </button>
          <IconButton icon="close" label="Close the answer" onClick={onClose} />
        </span>
      </header>
      <div className="cache-value" tabIndex={-1}>
        <Value read={read} />
      </div>
    </section>
  );
}

interface Read {
  readonly entry?: KeptEntry;
  readonly failure?: string;
}

function Value({ read }: { readonly read: Read | undefined }) {
  if (read === undefined) return <p className="section-empty">Reading …</p>;
  const { entry, failure } = read;
  if (entry === undefined) return <p className="section-empty">{failure}</p>;
  if (!entry.found) return <p className="section-empty">It is gone: it was dropped, or its time is over.</p>;
  if (entry.problem !== null) return <p className="section-empty">{entry.problem}</p>;
  return <JsonTree value={entry.value} label="Answer that is kept" />;
}

/** The entry as it was when the list was read; the one before it stays until then. */
function useEntry({ flow, aspect }: Chosen, key: string, shownAt: number): Read | undefined {
  const debug = debugOf(useStudio());
  const [read, setRead] = useState<Read>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is read again when the list is
  useEffect(() => {
    let isOver = false;
    debug.call('inspect.cacheEntry', { flow, aspect, key }).then(
      (entry) => isOver || setRead({ entry }),
      (error: Error) => isOver || setRead({ failure: error.message }),
    );
    return () => {
      isOver = true;
    };
  }, [debug, flow, aspect, key, shownAt]);
  return read;
}
