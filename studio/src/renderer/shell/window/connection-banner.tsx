import { useStore } from '../../state/use-store.ts';
import { Icon } from '../../theme/icon.tsx';
import { useStudio } from '../studio.ts';

/** Said while the host cannot be reached: never a dialog, for what is typed stays here. */
export function ConnectionBanner() {
  const isLost = useStore(useStudio().connection, (connection) => connection === 'lost');
  return (
    <div className="connection-banner" role="status">
      {isLost && (
        <p className="popover warning" data-connection="lost">
          <Icon name="warning" className="ink" />
          The connection to svc studio is lost. It is tried again; what you type stays in this window, unsaved.
        </p>
      )}
    </div>
  );
}
