import type { OutlineAspect } from '@svc/protocol/language';
import { useStore } from '../../state/use-store.ts';
import { Icon } from '../../theme/icon.tsx';
import { useCanvas } from '../context.ts';

/** How many aspects act on a flow; lit while one of them is selected in the list. */
export function AspectMark({ aspects }: { readonly aspects: readonly OutlineAspect[] }) {
  const isLit = useStore(useCanvas().selected, (selected) => aspects.some(({ id }) => id === selected));
  if (aspects.length === 0) return null;
  const all = aspects.map(({ name, detail }) => `${name} (${detail})`).join(', ');
  const title = `${aspects.length === 1 ? 'Aspect' : 'Aspects'}: ${all}`;
  return (
    <span className={isLit ? 'badge aspects lit' : 'badge aspects'} title={title}>
      <Icon name="link" label={title} />
      {aspects.length}
    </span>
  );
}
