import { debugOf } from '../debug/session/session.ts';
import { useStudio } from '../shell/studio.ts';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import { changesOf } from './changes.ts';

interface UnlockBarProps {
  /** What can be changed once it is unlocked, as the end of a sentence: `cancel and signal workflows`. */
  readonly what: string;
}

/** Says whether this window may change the service, and lets the person decide it. */
export function UnlockBar({ what }: UnlockBarProps) {
  const studio = useStudio();
  const changes = changesOf(studio);
  const isUnlocked = useStore(changes.isUnlocked);
  useStore(debugOf(studio).model.state);
  const { obstacle } = changes;
  const toggle = () =>
    void (isUnlocked ? changes.lock() : changes.unlock()).catch((error: unknown) => studio.notices.failed(error));
  return (
    <div className={isUnlocked ? 'unlock-bar unlocked' : 'unlock-bar'}>
      <Icon name="lock" />
      <span className="grow">
        {isUnlocked ? `Unlocked: you can ${what}.` : `Locked. Unlock it to ${what} in the running service.`}
      </span>
      <button type="button" className="button" disabled={obstacle !== undefined} title={obstacle} onClick={toggle}>
        {isUnlocked ? 'Lock' : 'Unlock changes'}
      </button>
    </div>
  );
}
