import { serviceOf } from '../run/service.ts';
import { useStudio } from '../shell/studio.ts';
import { CommandButton } from '../shell/window/icon-button.tsx';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import { debugOf } from './session/session.ts';

/** In the title bar of every page, always in the same order; what cannot be done is dim, not absent. */
export function DebugToolbar() {
  const studio = useStudio();
  const debug = debugOf(studio);
  const service = serviceOf(studio);
  const { threads, connection } = useStore(debug.model.state);
  const state = useStore(service.state);
  const isPausing = useStore(debug.isPausing);
  useStore(debug.model.focused);
  const isPaused = threads.some((thread) => thread.isPaused);
  return (
    <div className={isPaused ? 'debug-toolbar paused' : 'debug-toolbar'} role="toolbar" aria-label="Debug">
      <span className="state">
        {isPaused ? <Icon name="pause" /> : <span className={`dot ${connection === 'attached' ? 'ok' : 'ring'}`} />}
        <span className="words">{isPaused ? 'Paused' : isPausing ? 'Pausing' : stateText(connection, state.kind)}</span>
      </span>
      {!isPaused && (connection === 'attached' || state.kind === 'running') ? (
        <CommandButton command="debug.pause" icon="pause" pressed={isPausing} />
      ) : (
        <CommandButton
          command="debug.continue"
          icon="play"
          className="ink ok"
          label={isPaused ? 'Continue' : 'Start this project'}
        />
      )}
      <CommandButton command="debug.stepOver" icon="step-over" />
      <CommandButton command="debug.stepInto" icon="step-into" />
      <CommandButton command="debug.stepOut" icon="step-out" />
      <CommandButton command="debug.stepBack" icon="step-back" />
      <span className="separator" />
      <CommandButton command="debug.restartStage" icon="restart" />
      <CommandButton command="debug.stop" icon="stop" className="ink error" />
    </div>
  );
}

function stateText(connection: string, service: string): string {
  if (service === 'stopping') return 'Stopping';
  if (connection === 'attached') return 'Running';
  if (connection === 'lost') return 'Connection lost';
  if (connection === 'connecting' || service === 'starting') return 'Starting';
  return 'Not attached';
}
