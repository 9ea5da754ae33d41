import { debugOf } from '../debug/session/session.ts';
import { chordsOf } from '../shell/keys.ts';
import type { MenuItem } from '../shell/menus.ts';
import { type Studio, useStudio } from '../shell/studio.ts';
import { useStore } from '../state/use-store.ts';
import { Icon, type IconName } from '../theme/icon.tsx';
import { lookOf } from './look.ts';
import { serviceOf } from './service.ts';

/** The service of the open folder in the title bar: its state, where it listens, and what can be done with it. */
export function ServiceSegment() {
  const studio = useStudio();
  const { project } = studio;
  const service = serviceOf(studio);
  const debug = debugOf(studio);
  const state = useStore(service.state);
  const attached = useStore(debug.model.state);
  const info = useStore(project.info);
  if (info === undefined) return null;
  const { text, address, dot } = lookOf(state, attached);
  return (
    <button
      type="button"
      className="title-segment"
      aria-haspopup="menu"
      aria-label={`Service: ${text}${address && ` ${address}`}`}
      title={state.kind === 'stopped' && state.reason !== undefined ? `It ended: ${state.reason}` : 'Run and stop'}
      onClick={(event) => showServiceMenu(studio, event.currentTarget)}
    >
      <span className={dot} />
      <span className="words">{text}</span>
      {address !== '' && <span className="faint mono">{address}</span>}
      <Icon name="chevron-down" size="small" />
    </button>
  );
}

const runItems: readonly (readonly [id: string, title: string, icon: IconName])[] = [
  ['run.start', 'Start', 'play'],
  ['run.restart', 'Restart', 'restart'],
  ['run.stop', 'Stop', 'stop'],
];
const otherItems: readonly (readonly [id: string, title: string, icon: IconName])[] = [
  ['debug.attach', 'Attach to host:port', 'plug'],
  ['debug.detach', 'Detach', 'close'],
  ['run.output', 'Show output', 'terminal'],
];

/** Only what can be done now is in it. */
function showServiceMenu({ menus, commands, keyRules }: Studio, below: Element): void {
  const { left, bottom } = below.getBoundingClientRect();
  const itemsOf = (all: typeof runItems): MenuItem[] =>
    all.flatMap(([id, title, icon]) => {
      const command = commands.all.value.get(id);
      if (command === undefined || !commands.isEnabled(id)) return [];
      return [{ title, icon, keys: chordsOf(command, keyRules)[0], run: () => commands.run(id) }];
    });
  const [run, other] = [itemsOf(runItems), itemsOf(otherItems)];
  const items = run.length > 0 && other.length > 0 ? [...run, undefined, ...other] : [...run, ...other];
  menus.show({ label: 'Service', x: left, y: bottom + 4, items });
}
