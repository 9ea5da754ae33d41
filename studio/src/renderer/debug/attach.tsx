import { type FormEvent, useEffect, useRef, useState } from 'react';
import { serviceOf } from '../run/service.ts';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import { useDebugger } from './debugger.ts';
import { debugOf } from './session/session.ts';

/** What the side bar shows while no service is attached, and when the connection was lost. */
export function AttachNote() {
  const { studio } = useDebugger();
  const { commands } = studio;
  const debug = debugOf(studio);
  const service = serviceOf(studio);
  const { connection, address, threads } = useStore(debug.model.state);
  const state = useStore(service.state);
  const { kind } = state;
  const hasKept = threads.some(({ cut }) => cut === 'over');
  if (connection === 'attached') return null;
  if (kind === 'stopping')
    return (
      <div className="note">
        <p className="grow">The service stops. What is under way in it may end first.</p>
      </div>
    );
  if (connection === 'lost')
    return (
      <div className="note warning" role="alert">
        <Icon name="warning" />
        <div className="grow">
          <p>Connection to {address} lost. Its threads were released; breakpoints are not checked. Dialling again…</p>
          <div className="note-buttons">
            <button type="button" className="button" onClick={() => debug.retry()}>
              Try again now
            </button>
            <button type="button" className="button ghost" onClick={() => debug.detach()}>
              Give up
            </button>
          </div>
        </div>
      </div>
    );
  if (state.kind === 'stopped' && state.reason !== undefined)
    return (
      <div className="note error" role="alert">
        <Icon name="error" />
        <div className="grow">
          <p>
            {capitalized(state.reason)}.
            {hasKept && ' Its threads, their values and their timeline stay here until the next start.'}
          </p>
          <div className="note-buttons">
            <button
              type="button"
              className="button primary"
              disabled={!commands.isEnabled('run.start')}
              onClick={() => commands.run(state.missingQueues ? 'run.createQueues' : 'run.start')}
            >
              {state.missingQueues ? 'Create queue and start' : 'Restart'}
            </button>
            <button type="button" className="button" onClick={() => commands.run('debug.attach')}>
              Attach to host:port
            </button>
          </div>
        </div>
      </div>
    );
  const isStarting = connection === 'connecting' || kind === 'starting';
  const isDetached = kind === 'running' && connection === 'none';
  return (
    <div className="note">
      <div className="grow">
        <p>{noteOf(isStarting, isDetached)}</p>
        <div className="note-buttons">
          <button
            type="button"
            className="button primary"
            disabled={isStarting}
            onClick={() => commands.run('debug.continue')}
          >
            {isDetached ? 'Attach again' : 'Start this project'}
          </button>
          <button type="button" className="button" onClick={() => commands.run('debug.attach')}>
            Attach to host:port
          </button>
        </div>
        <p className="note-command">
          <code>svc start --debug</code>
        </p>
      </div>
    </div>
  );
}

function noteOf(isStarting: boolean, isDetached: boolean): string {
  if (isStarting) return 'Waiting for the service…';
  return isDetached ? 'The service runs, and the debugger is detached.' : 'No service attached.';
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Asks for the address of a debug endpoint. */
export function AttachDialog() {
  const { isAsking } = useDebugger();
  return useStore(isAsking) && <Dialog />;
}

function Dialog() {
  const { studio, isAsking } = useDebugger();
  const debug = debugOf(studio);
  const dialog = useRef<HTMLDialogElement>(null);
  const [problem, setProblem] = useState('');
  const [isDialling, setDialling] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  const close = () => isAsking.set(false);
  const attach = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const address = String(data.get('address')).trim();
    setProblem('');
    setDialling(true);
    debug.attach(address, String(data.get('token')) || undefined).then(close, (error: Error) => {
      setDialling(false);
      setProblem(`Could not attach to ${address}: ${error.message}`);
    });
  };
  return (
    <dialog ref={dialog} className="popover question" aria-labelledby="attach-title" onCancel={close}>
      <form onSubmit={attach}>
        <h2 id="attach-title">Attach to a running service</h2>
        <div className="dialog-field">
          <label htmlFor="attach-address">Address</label>
          <input
            id="attach-address"
            name="address"
            className="input mono"
            required
            defaultValue="127.0.0.1:9090"
            placeholder="host:port or ws://host:port/debug"
            spellCheck={false}
          />
          <label htmlFor="attach-token">Token</label>
          <input
            id="attach-token"
            name="token"
            type="password"
            autoComplete="off"
            className="input mono"
            placeholder="none on this machine in development"
          />
        </div>
        {problem !== '' && (
          <p className="ink error" role="alert">
            {problem}
          </p>
        )}
        <div className="question-buttons">
          <button type="submit" className="button primary" disabled={isDialling}>
            {isDialling ? 'Attaching…' : 'Attach'}
          </button>
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  );
}
