import type { Found } from '@svc/protocol/wire';
import { useEffect, useState } from 'react';
import { Icon } from '../../theme/icon.tsx';
import { ValueText } from '../../values/value-text.tsx';
import { preview } from '../../values/values.ts';
import { useDebugger } from '../debugger.ts';
import { debugOf } from '../session/session.ts';

interface VariableSearchProps {
  readonly threadId: string;
  /** Of the values: with new ones it is searched again. */
  readonly version: number;
  readonly onFound: (path: readonly string[]) => void;
  readonly onClose: () => void;
}

const nothing: Found = { matches: [], truncated: false };

/** Finds names and values of a paused thread; the service searches, so that what was not sent is found too. */
export function VariableSearch({ threadId, version, onFound, onClose }: VariableSearchProps) {
  const debug = debugOf(useDebugger().studio);
  const [text, setText] = useState('');
  const [found, setFound] = useState<Found>(nothing);
  // biome-ignore lint/correctness/useExhaustiveDependencies: values changed
  useEffect(() => {
    let isOld = false;
    if (text === '') setFound(nothing);
    else
      debug.call('debug.search', { threadId, text, limit: 50 }).then(
        (answer) => isOld || setFound(answer),
        () => isOld || setFound(nothing),
      );
    return () => {
      isOld = true;
    };
  }, [debug, threadId, version, text]);
  return (
    <>
      <label className="search">
        <Icon name="search" />
        <input
          // biome-ignore lint/a11y/noAutofocus: the person just asked for it
          autoFocus
          className="grow"
          value={text}
          placeholder="Name or value"
          aria-label="Find in variables"
          onChange={({ target }) => setText(target.value)}
          onKeyDown={({ key }) => key === 'Escape' && onClose()}
        />
      </label>
      {text !== '' && (
        <ul className="data found" aria-label="Found">
          {found.matches.map(({ path, value }) => (
            <li key={path.join('\u0000')}>
              <button
                type="button"
                className="data-row"
                title={`${path.join('.')}: ${preview(value, 200)}`}
                onClick={() => onFound(path)}
              >
                <span className="within">{path.slice(0, -1).map((member) => `${member}.`)}</span>
                <span className="key">{path.at(-1)}</span>
                <ValueText value={value} />
              </button>
            </li>
          ))}
          <li className="section-empty">
            {found.matches.length === 0
              ? 'Nothing found.'
              : found.truncated
                ? 'There may be more: write more of it.'
                : `${found.matches.length} found.`}
          </li>
        </ul>
      )}
    </>
  );
}
