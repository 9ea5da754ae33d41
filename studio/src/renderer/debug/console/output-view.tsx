import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { serviceOf } from '../../run/service.ts';
import { IconButton } from '../../shell/window/icon-button.tsx';
import { Store } from '../../state/store.ts';
import { useStore } from '../../state/use-store.ts';
import { Icon } from '../../theme/icon.tsx';
import { clockTime } from '../../values/values.ts';
import { useDebugger } from '../debugger.ts';
import { withoutAnsi } from './ansi.ts';

/** Lines that are drawn; the service's log itself keeps more. */
const drawn = 1000;
const filter = new Store('');

/** What the service of this project prints. It follows the end until the person scrolls up. */
export function OutputView() {
  const { studio } = useDebugger();
  const log = useStore(serviceOf(studio).log);
  const wanted = useStore(filter).toLowerCase();
  const lines = useMemo(
    () => log.filter(({ text }) => wanted === '' || text.toLowerCase().includes(wanted)).slice(-drawn),
    [log, wanted],
  );
  const list = useRef<HTMLDivElement>(null);
  const [isFollowing, setFollowing] = useState(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new lines are what it follows
  useLayoutEffect(() => {
    const { current } = list;
    if (isFollowing && current) current.scrollTop = current.scrollHeight;
  }, [lines, isFollowing]);
  useEffect(() => () => filter.set(''), []);
  if (log.length === 0)
    return (
      <p className="panel-empty">
        The service of this project has printed nothing. Start it with F5, or `svc start --debug`.
      </p>
    );
  return (
    <div
      ref={list}
      className="console scrolls"
      role="log"
      aria-label="Output"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) =>
        setFollowing(scrollHeight - scrollTop - clientHeight < 24)
      }
    >
      {lines.map(({ at, text }, index) => {
        const plain = withoutAnsi(text);
        const level = levelOf(plain);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no name of their own
          <div key={`${at} ${index}`} className={`console-line ${level ?? ''}`} title={clockTime(at)}>
            <span className={level && 'ink'}>{plain}</span>
          </div>
        );
      })}
    </div>
  );
}

/** The class of what a line warns of; the service writes the level as a word or as JSON. */
function levelOf(line: string): 'error' | 'warning' | undefined {
  if (/^\S+ ERR\b|"level":"error"/.test(line)) return 'error';
  return /^\S+ WRN\b|"level":"warn"/.test(line) ? 'warning' : undefined;
}

export function OutputTools() {
  const { studio } = useDebugger();
  const text = useStore(filter);
  return (
    <>
      <label className="search panel-search">
        <Icon name="filter" />
        <input
          value={text}
          placeholder="Filter"
          aria-label="Filter the output"
          onChange={({ target }) => filter.set(target.value)}
        />
      </label>
      <IconButton icon="trash" label="Clear output" onClick={() => serviceOf(studio).log.set([])} />
    </>
  );
}
