import { Fragment } from 'react';
import { lookOf } from '../outline/look.ts';
import { titleOf, trailAt } from '../outline/trail.ts';
import { useStructure } from '../outline/use-structure.ts';
import { useStudio } from '../shell/studio.ts';
import { Icon } from '../theme/icon.tsx';
import { useCaret } from './caret/use-caret.ts';
import type { OpenEditor } from './editors.ts';
import { select } from './reveal.ts';

/** Where the caret is, from the folder inwards; each part leads to its place. */
export function Breadcrumb({ path, open }: { readonly path: string; readonly open: OpenEditor | undefined }) {
  const { layout } = useStudio();
  const items = useStructure(path);
  const caret = useCaret(open);
  const trail = caret === undefined ? [] : trailAt(items, caret.offset);
  const parts = path.split('/');
  const go = (start: number, end: number) => {
    if (open === undefined) return;
    select(open, open.document.rangeOf(start, end));
    open.editor.focus();
  };
  return (
    <div className="breadcrumb">
      {parts.slice(0, -1).map((folder, index) => (
        <Fragment key={parts.slice(0, index + 1).join('/')}>
          <button type="button" title="Show in the explorer" onClick={() => layout.showSide('explorer')}>
            {folder}
          </button>
          <Separator />
        </Fragment>
      ))}
      <button type="button" title="To the beginning of the file" onClick={() => go(0, 0)}>
        {parts.at(-1)}
      </button>
      {trail.map((item, index) => {
        const { icon, className } = lookOf(item);
        return (
          <Fragment key={item.range.start}>
            <Separator />
            <button type="button" className="part" onClick={() => go(item.selection.start, item.selection.end)}>
              {item.family !== undefined && item.kind === 'block' && (
                <Icon name={icon} size="small" className={className} />
              )}
              <b>{titleOf(item, index === 0)}</b>
            </button>
          </Fragment>
        );
      })}
    </div>
  );
}

function Separator() {
  return <Icon name="chevron-right" size="small" />;
}
