import { useStudio } from '../../shell/studio.ts';
import { useStore } from '../../state/use-store.ts';
import { editorsOf } from '../editors.ts';
import { useCaret } from './use-caret.ts';

/** Where the caret is. */
export function CaretStatus() {
  const editors = editorsOf(useStudio());
  const caret = useCaret(useStore(editors.active));
  if (caret === undefined) return null;
  return (
    <span className="status-item numeric">
      Ln {caret.line}, Col {caret.column}
    </span>
  );
}

/** How lines are indented, and what language the text is in. */
export function LanguageStatus() {
  const editors = editorsOf(useStudio());
  const active = useStore(editors.active);
  if (active === undefined) return null;
  const { path } = active.document;
  return (
    <>
      <span className="status-item wide-only">Spaces 2</span>
      <span className="status-item wide-only">{path.endsWith('.hcl') ? 'HCL, CEL' : nameOf(path)}</span>
    </>
  );
}

function nameOf(path: string): string {
  const ending = /\.(\w+)$/.exec(path)?.[1];
  return ending === undefined ? 'Plain text' : ending.toUpperCase();
}
