import { useStore } from '../../state/use-store.ts';
import { useCanvas } from '../context.ts';
import { type Grouping, groupings } from './grouping.ts';

const titles: Readonly<Record<Grouping, string>> = {
  automatic: 'Groups: automatic',
  none: 'No groups',
  folder: 'By folder',
  connector: 'By connector',
};

/** How flows are put together, chosen for this folder. */
export function GroupingField() {
  const { grouping } = useCanvas();
  const value = useStore(grouping);
  return (
    <select
      className="input grouping"
      aria-label="Group flows"
      title="How flows are put together; many are by themselves"
      value={value}
      onChange={({ target }) => grouping.set(target.value as Grouping)}
    >
      {groupings.map((each) => (
        <option key={each} value={each}>
          {titles[each]}
        </option>
      ))}
    </select>
  );
}
