import { Store } from '../../state/store.ts';
import { useStore } from '../../state/use-store.ts';
import { Icon } from '../../theme/icon.tsx';
import type { SideView } from '../contributions.ts';
import { useStudio } from '../studio.ts';

export function ActivityBar() {
  const { contributions, commands } = useStudio();
  const views = useStore(contributions.sideViews);
  return (
    <nav className="activity" aria-label="Views">
      {views.map((view) => (
        <ActivityButton key={view.id} view={view} />
      ))}
      <span className="grow" />
      <button
        type="button"
        className="activity-button"
        title="Keyboard shortcuts"
        aria-label="Keyboard shortcuts"
        onClick={() => commands.run('help.keys')}
      >
        <Icon name="help" />
      </button>
      <button
        type="button"
        className="activity-button"
        title="Settings"
        aria-label="Settings"
        onClick={() => commands.run('settings.open')}
      >
        <Icon name="gear" />
      </button>
    </nav>
  );
}

const none = new Store<undefined>(undefined);

function ActivityButton({ view: { id, title, icon, badge } }: { readonly view: SideView }) {
  const { layout } = useStudio();
  const isOn = useStore(layout.state, ({ sideView, isSideOpen }) => isSideOpen && sideView === id);
  const shown = useStore<{ count: number; paused?: boolean | undefined } | undefined>(badge ?? none);
  const open = () => (isOn ? layout.state.patch({ isSideOpen: false }) : layout.showSide(id));
  return (
    <button
      type="button"
      className={isOn ? 'activity-button on' : 'activity-button'}
      title={title}
      aria-label={shown && shown.count > 0 ? `${title}, ${shown.count}` : title}
      aria-current={isOn ? 'page' : undefined}
      onClick={open}
    >
      <Icon name={icon} />
      {shown && shown.count > 0 && (
        <span className={shown.paused ? 'count-bubble paused-ink' : 'count-bubble'}>{shown.count}</span>
      )}
    </button>
  );
}
