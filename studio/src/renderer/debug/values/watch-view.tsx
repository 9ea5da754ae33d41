import { type CSSProperties, type KeyboardEvent, useRef, useState } from 'react';
import { IconButton } from '../../shell/window/icon-button.tsx';
import { Section } from '../../shell/window/section.tsx';
import { useStore } from '../../state/use-store.ts';
import { TokenMark } from '../../values/token-life.tsx';
import { ValueText } from '../../values/value-text.tsx';
import { useDebugger } from '../debugger.ts';
import type { Watched } from '../session/watches.ts';
import { ForcedMark } from './forced-mark.tsx';

/** Expressions of the person, evaluated at each stop. */
export function WatchView() {
  const { watches, studio } = useDebugger();
  const all = useStore(watches.all);
  /** The expression that is edited; an empty text is a new one. */
  const [edited, setEdited] = useState<string>();
  const keep = (before: string, text: string) => {
    setEdited(undefined);
    try {
      if (before === '') watches.add(text);
      else watches.replace(before, text);
    } catch (error) {
      studio.notices.failed(error);
    }
  };
  const cancel = () => setEdited(undefined);
  const tools = <IconButton icon="plus" label="Add expression" onClick={() => setEdited('')} />;
  return (
    <Section title="Watch" tools={tools}>
      <div className="section-body">
        <ul className="data watch" aria-label="Watched expressions">
          {all.map((watched) => (
            <li key={watched.expression}>
              {edited === watched.expression ? (
                <ExpressionInput before={edited} onKeep={keep} onCancel={cancel} />
              ) : (
                <WatchLine watched={watched} onEdit={() => setEdited(watched.expression)} />
              )}
            </li>
          ))}
          {edited === '' && (
            <li>
              <ExpressionInput before="" onKeep={keep} onCancel={cancel} />
            </li>
          )}
        </ul>
        {all.length === 0 && edited === undefined && (
          <p className="section-empty">
            Expressions added here are evaluated at each stop, and over runs that have ended.
          </p>
        )}
      </div>
    </Section>
  );
}

function WatchLine({
  watched: { expression, value, forced },
  onEdit,
}: {
  readonly watched: Watched;
  readonly onEdit: () => void;
}) {
  const { watches } = useDebugger();
  return (
    <div className="data-row" style={{ '--d': 0 } as CSSProperties}>
      <span className="lead" />
      <button type="button" className="key" title="Edit" onClick={onEdit}>
        {expression}
      </button>
      {value && 'error' in value && (
        <span className="value object-value" title={value.error}>
          {value.error}
        </span>
      )}
      {value && 'result' in value && <ValueText value={value.result} isForced={forced !== undefined} />}
      <span className="meta">
        {value && 'result' in value && <TokenMark value={value.result} />}
        <ForcedMark forced={forced} />
        {value && 'type' in value && value.type}
        <span className="row-tools">
          <IconButton icon="close" label={`Remove ${expression}`} onClick={() => watches.remove(expression)} />
        </span>
      </span>
    </div>
  );
}

interface ExpressionInputProps {
  readonly before: string;
  readonly onKeep: (before: string, text: string) => void;
  readonly onCancel: () => void;
}

function ExpressionInput({ before, onKeep, onCancel }: ExpressionInputProps) {
  const isDone = useRef(false);
  const finish = (run: () => void) => {
    if (isDone.current) return;
    isDone.current = true;
    run();
  };
  const pressed = (event: KeyboardEvent<HTMLInputElement>) => {
    const { value } = event.currentTarget;
    if (event.key === 'Enter') finish(() => onKeep(before, value));
    if (event.key === 'Escape') finish(onCancel);
  };
  return (
    <input
      // biome-ignore lint/a11y/noAutofocus: the person just asked for it
      autoFocus
      className="value-input"
      defaultValue={before}
      placeholder="output.total > 100.0"
      aria-label="Watched expression"
      spellCheck={false}
      onKeyDown={pressed}
      onBlur={({ currentTarget: { value } }) => finish(() => onKeep(before, value))}
    />
  );
}
