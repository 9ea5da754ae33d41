import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { ExpressionField } from '../../expressions/expression-field.tsx';
import { IconButton } from '../../shell/window/icon-button.tsx';
import { useStore } from '../../state/use-store.ts';
import { Icon } from '../../theme/icon.tsx';
import { TokenMark } from '../../values/token-life.tsx';
import { maskedJson } from '../../values/tokens.ts';
import { ValueText } from '../../values/value-text.tsx';
import { isContainer } from '../../values/values.ts';
import { useDebugger } from '../debugger.ts';
import { reveal } from '../session/reveal.ts';
import { debugOf } from '../session/session.ts';
import { ForcedMark } from '../values/forced-mark.tsx';
import type { ConsoleLine } from './console.ts';

/** Asks the thread in focus, and shows what log points wrote. */
export function ConsoleView() {
  const { console: own } = useDebugger();
  const lines = useStore(own.lines);
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new lines are what it follows
  useLayoutEffect(() => {
    const { current } = list;
    if (current) current.scrollTop = current.scrollHeight;
  }, [lines]);
  return (
    <>
      <div
        ref={list}
        className="console scrolls"
        role="log"
        aria-label="Debug console"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
        tabIndex={0}
      >
        {lines.map((line) => (
          <LineOf key={line.id} line={line} />
        ))}
      </div>
      <Prompt />
    </>
  );
}

export function ConsoleTools() {
  const { console: own } = useDebugger();
  return <IconButton icon="trash" label="Clear console" onClick={() => own.clear()} />;
}

function LineOf({ line }: { readonly line: ConsoleLine }) {
  switch (line.kind) {
    case 'input':
      return (
        <div className="console-line entry">
          <Icon name="chevron-right" />
          <span>{line.text}</span>
        </div>
      );
    case 'result':
      return <ResultLine line={line} />;
    case 'error':
      return (
        <div className="console-line error">
          <Icon name="error" />
          <span className="ink">{line.text}</span>
        </div>
      );
    case 'end':
      return <EndLine line={line} />;
    case 'log':
      return <LogLine entry={line.entry} />;
  }
}

/** How a thread ended; of one that failed, with the line where it did. */
function EndLine({ line: { text, isError, thread } }: { readonly line: Extract<ConsoleLine, { kind: 'end' }> }) {
  const owner = useDebugger();
  useStore(owner.stops.all);
  useStore(owner.flows.outline);
  const place = owner.failureOf(thread);
  return (
    <div className={isError ? 'console-line error' : 'console-line'}>
      <Icon name={isError ? 'error' : 'check'} />
      <span className={isError ? 'ink' : 'muted'}>{text}</span>
      {place && (
        <button type="button" className="meta link" onClick={() => owner.showRun(thread)}>
          {place.file.split('/').at(-1)}:{place.line}
        </button>
      )}
    </div>
  );
}

/** Characters of a value that is shown in full. */
const longestValue = 20_000;

/** A result on one line; a list or map opens to all of it. */
function ResultLine({ line: { value, type, forced } }: { readonly line: Extract<ConsoleLine, { kind: 'result' }> }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="console-line">
      {isContainer(value) ? (
        <button
          type="button"
          className="twisty"
          aria-expanded={isOpen}
          aria-label="The whole value"
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} size="small" />
        </button>
      ) : (
        <span className="lead" />
      )}
      {isOpen ? (
        <pre className="value-text">{maskedJson(value).slice(0, longestValue)}</pre>
      ) : (
        <ValueText value={value} isForced={forced !== undefined} />
      )}
      <span className="meta">
        <TokenMark value={value} />
        <ForcedMark forced={forced} />
        {type}
      </span>
    </div>
  );
}

function LogLine({ entry }: { readonly entry: Extract<ConsoleLine, { kind: 'log' }>['entry'] }) {
  const { studio, stops } = useDebugger();
  const stop = stops.find(entry);
  return (
    <div className="console-line">
      <Icon name="logpoint" label="Log point" />
      <span className="muted">{entry.message}</span>
      {stop ? (
        <button type="button" className="meta link" onClick={() => reveal(studio, stop.file, stop.start)}>
          {entry.flow}:{stop.line}
        </button>
      ) : (
        <span className="meta">{entry.flow}</span>
      )}
    </div>
  );
}

function Prompt() {
  const { studio, stops, console: own } = useDebugger();
  const { model } = debugOf(studio);
  useStore(model.state);
  useStore(model.focused);
  const [text, setText] = useState('');
  const { current } = model;
  const thread = current?.isPaused || current?.ended !== undefined ? current : undefined;
  const stop =
    thread?.isPaused &&
    stops.find({ flow: thread.flow, stage: thread.stage, name: thread.name, ruleIndex: thread.rule?.index ?? -1 });
  const pressed = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      void own.evaluate(text);
      setText('');
    } else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
      const recalled = own.recall(event.key === 'ArrowUp' ? -1 : 1);
      event.preventDefault();
      if (recalled !== undefined) setText(recalled);
    }
  };
  return (
    <div className="prompt">
      <Icon name="chevron-right" />
      <ExpressionField
        value={text}
        onChange={setText}
        label="Evaluate an expression"
        place={stop ? { path: stop.file, offset: stop.start } : undefined}
        disabled={thread === undefined}
        placeholder={
          thread
            ? `Evaluate CEL in ${thread.flow} #${thread.number}${thread.isPaused ? '' : ', as it ended'}`
            : 'No thread is paused'
        }
        onKeyDown={pressed}
      />
      <span className="meta">
        <kbd>↑</kbd> <kbd>Enter</kbd>
      </span>
    </div>
  );
}
