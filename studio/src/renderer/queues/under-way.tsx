import { Fragment, useEffect, useRef } from 'react';
import { flowsOf } from '../debug/session/flow-map.ts';
import { debugOf } from '../debug/session/session.ts';
import { chordsOf, shownChord } from '../shell/keys.ts';
import { useStudio } from '../shell/studio.ts';
import { useNow } from '../state/use-now.ts';
import { useStore } from '../state/use-store.ts';
import { Icon, type IconName } from '../theme/icon.tsx';
import { idOf, placeOf, type TakenMessage } from './messages.ts';
import { type PipeStage, pipeOf } from './pipe.ts';

interface UnderWayProps {
  readonly message: TakenMessage;
  /** How many messages wait in the queue; absent when that is not known. */
  readonly ready: number | null | undefined;
}

/** The message that is on its way through its flow: where it is, since when, and the stages to come. */
export function UnderWay({ message, ready }: UnderWayProps) {
  const studio = useStudio();
  const { notices, bridge, commands, keyRules } = studio;
  const flows = flowsOf(studio);
  const debug = debugOf(studio);
  const { thread } = message;
  const flow = useStore(flows.outline, (outline) => outline.flows.find(({ name }) => name === thread.flow));
  const now = useNow(true);
  const focused = useStore(debug.model.focused);
  const seconds = Math.max(0, Math.round((now - thread.startedAt) / 1000));
  const waiting = typeof ready === 'number' ? `; ${ready} wait behind it` : '';
  const command = commands.all.value.get('debug.continue');
  const chord = focused === thread.id && command ? chordsOf(command, keyRules)[0] : undefined;
  const resume = () =>
    void debug.call('debug.continue', { threadId: thread.id }).catch((error: unknown) => notices.failed(error));
  return (
    <section aria-label="Message under way">
      <Pipe stages={pipeOf(thread, flow)} place={thread.isPaused ? placeOf(thread) : undefined} />
      <div className="note paused-ink held-message">
        <Icon name="mail" />
        <span className="grow numeric">
          {thread.isPaused ? 'You hold' : 'Under way:'} {idOf(message) || 'a message'}, unacked for {since(seconds)}
          {waiting}
        </span>
        {thread.isPaused && (
          <button type="button" className="button" onClick={resume}>
            <Icon name="play" />
            Continue
            {chord !== undefined && <kbd>{shownChord(chord, bridge.operatingSystem)}</kbd>}
          </button>
        )}
      </div>
    </section>
  );
}

const stateWords = { done: 'done', at: 'here', todo: 'to come', failed: 'failed', skipped: 'left out' } as const;

function Pipe({ stages, place }: { readonly stages: readonly PipeStage[]; readonly place: string | undefined }) {
  const list = useRef<HTMLOListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the place is what may have gone out of sight
  useEffect(() => {
    // What it answers is a promise in newer browsers, and no way to end the effect.
    list.current?.querySelector('.at')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [place]);
  return (
    <ol ref={list} className="pipe" aria-label="Stages">
      <li className="pipe-stage ok">
        <Icon name="check" />
        Taken
      </li>
      {stages.map(({ title, family, state }, at) => {
        const icon: IconName = state === 'at' && place ? 'pause' : state === 'failed' ? 'error' : (family ?? 'flow');
        const classes = [
          'pipe-stage',
          state === 'failed' ? 'error' : family,
          state === 'at' && 'at',
          (state === 'todo' || state === 'skipped') && 'todo',
        ];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a flow may have two stages of one name
          <Fragment key={at}>
            <li className={state === 'todo' ? 'pipe-link todo' : 'pipe-link'} aria-hidden />
            <li className={classes.filter(Boolean).join(' ')} aria-label={`${title}, ${stateWords[state]}`}>
              <Icon name={icon} />
              {state === 'at' && place !== undefined ? place : title}
            </li>
          </Fragment>
        );
      })}
      <li className="pipe-link todo" aria-hidden />
      <li className="pipe-stage ok todo">
        <Icon name="okc" />
        Acknowledge
      </li>
    </ol>
  );
}

function since(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
