import { useStore } from '../../state/use-store.ts';
import { Icon } from '../../theme/icon.tsx';
import { chordsOf, shownChord } from '../keys.ts';
import { type Studio, useStudio } from '../studio.ts';
import { IconButton } from './icon-button.tsx';

/** What the box in the middle does. */
const going = 'Go to, search, run';

/** Project, what features put there (the debug toolbar among them), search, and what is open. */
export function TitleBar() {
  const studio = useStudio();
  const { layout, contributions, commands, project, bridge, settings } = studio;
  useStore(settings.state);
  const files = useStore(commands.all, (all) => all.get('palette.files'));
  const auxiliary = useStore(contributions.auxiliaryViews);
  const chord = files && chordsOf(files, studio.keyRules)[0];
  const shown = useStore(layout.state);
  const items = useStore(contributions.title);
  const info = useStore(project.info);
  const itemsAt = (place: 'left' | undefined) =>
    items.filter(({ side }) => side === place).map(({ id, view: View }) => <View key={id} />);
  return (
    <header className="title">
      <h1 className="logo">
        <Icon name="product" label="svc studio" />
      </h1>
      <button
        type="button"
        className="title-segment"
        title={info?.directory ?? 'Open a folder'}
        onClick={(event) => showProjectMenu(studio, event.currentTarget)}
      >
        <strong>{info?.name ?? 'No folder'}</strong>
        <Icon name="chevron-down" size="small" />
      </button>
      {itemsAt('left')}
      <span className="grow" />
      {itemsAt(undefined)}
      <button type="button" className="command-box" title={going} onClick={() => commands.run('palette.files')}>
        <Icon name="search" />
        <span className="grow ellipsis">{going}</span>
        {chord !== undefined && <kbd>{shownChord(chord, bridge.operatingSystem)}</kbd>}
      </button>
      <IconButton
        icon="panel-left"
        label="Side bar"
        keys="mod+b"
        pressed={shown.isSideOpen}
        onClick={() => layout.state.patch({ isSideOpen: !shown.isSideOpen })}
      />
      <IconButton
        icon="panel-bottom"
        label="Panel"
        keys="mod+j"
        pressed={shown.isPanelOpen}
        onClick={() => layout.state.patch({ isPanelOpen: !shown.isPanelOpen })}
      />
      <IconButton
        icon="panel-right"
        label="Secondary side bar"
        keys="mod+alt+b"
        pressed={shown.isAuxiliaryOpen && auxiliary.length > 0}
        disabled={auxiliary.length === 0}
        onClick={() => layout.state.patch({ isAuxiliaryOpen: !shown.isAuxiliaryOpen })}
      />
    </header>
  );
}

/** What can be done with the folder as a whole, and the folders that were open before. */
function showProjectMenu({ menus, commands, keyRules }: Studio, below: Element): void {
  const { left, bottom } = below.getBoundingClientRect();
  const item = (id: string, title: string) => {
    const command = commands.all.value.get(id);
    if (command === undefined || !commands.isEnabled(id)) return [];
    return [{ title, keys: chordsOf(command, keyRules)[0], run: () => commands.run(id) }];
  };
  const items = [
    ...item('project.open', 'Open folder'),
    ...item('project.new', 'New from template'),
    ...item('project.recent', 'Open recent'),
    ...item('project.trust', 'Trust this folder'),
  ];
  menus.show({ label: 'Project', x: left, y: bottom + 4, items });
}
