import { useStore } from '../../state/use-store.ts';
import { useStudio } from '../studio.ts';

export function StatusBar() {
  const { contributions } = useStudio();
  const items = useStore(contributions.status);
  const at = (wanted: 'left' | 'right') =>
    items.filter(({ side }) => side === wanted).map(({ id, view: View }) => <View key={id} />);
  return (
    <footer className="status">
      {at('left')}
      <span className="grow" />
      {at('right')}
    </footer>
  );
}
