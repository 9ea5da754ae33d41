import { useStudio } from '../shell/studio.ts';
import { Icon } from '../theme/icon.tsx';

/** A project without connectors and flows. */
export function EmptyCanvas() {
  const { commands } = useStudio();
  return (
    <div className="canvas">
      <div className="empty">
        <p>There are no connectors and no flows yet. A connector is what a flow takes from and hands to.</p>
        <div className="acts">
          <button type="button" className="button primary" onClick={() => commands.run('canvas.addConnector')}>
            Add connector
          </button>
        </div>
        <span className="command-line">
          <Icon name="terminal" />
          svc init orders
        </span>
      </div>
    </div>
  );
}
