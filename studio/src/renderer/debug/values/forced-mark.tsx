import type { ForcedValue } from '@svc/protocol/wire';
import { Icon } from '../../theme/icon.tsx';
import { forcedNote } from '../session/forced.ts';

/** A hand beside a value that the person set, and what it was. */
export function ForcedMark({ forced }: { readonly forced: ForcedValue | undefined }) {
  return (
    forced && (
      <>
        <Icon name="hand" className="hand" />
        <span className="hand">{forcedNote(forced)}</span>
      </>
    )
  );
}
