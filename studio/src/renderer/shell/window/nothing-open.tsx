import { useStore } from '../../state/use-store.ts';
import { shownChord } from '../keys.ts';
import { useStudio } from '../studio.ts';

const ways = ['palette.files', 'palette.commands', 'search.show', 'debug.continue'];

/** What a group of editors shows while nothing is open in it: the ways on, with their keys. */
export function NothingOpen() {
  const { commands, bridge } = useStudio();
  const all = useStore(commands.all);
  return (
    <dl className="nothing-open">
      {ways.flatMap((id) => {
        const command = all.get(id);
        if (command?.keys === undefined) return [];
        return [
          <dt key={id}>{command.title.replace(/^[^:]+: /, '')}</dt>,
          <dd key={`${id} keys`}>
            <kbd>{shownChord(command.keys, bridge.operatingSystem)}</kbd>
          </dd>,
        ];
      })}
    </dl>
  );
}
