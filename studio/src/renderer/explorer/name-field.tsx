import { type CSSProperties, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useStudio } from '../shell/studio.ts';
import { Icon } from '../theme/icon.tsx';
import type { Explorer, NameField } from './explorer.ts';
import { fileLooksOf } from './file-looks.ts';
import { parentOf, refusalOf } from './tree.ts';

interface NameFieldRowProps {
  readonly explorer: Explorer;
  readonly field: NameField;
  readonly depth: number;
}

/** The field for a name: Enter does it, Escape leaves it. */
export function NameFieldRow({ explorer, field, depth }: NameFieldRowProps) {
  const studio = useStudio();
  const { project, commands } = studio;
  const fileLooks = fileLooksOf(studio);
  const own = field.kind === 'rename' ? field.path : undefined;
  const folder = field.kind === 'rename' ? parentOf(field.path) : field.folder;
  const first = own === undefined ? '' : own.slice(folder === '' ? 0 : folder.length + 1);
  const [name, setName] = useState(first);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    input.current?.focus();
    const dot = first.lastIndexOf('.');
    input.current?.setSelectionRange(0, dot > 0 ? dot : first.length);
  }, [first]);
  const path = folder === '' ? name : `${folder}/${name}`;
  const refusal = refusalOf(path, project.entries.value, own);
  const isWrong = refusal !== undefined && name !== '';
  const leave = () => explorer.leaveField(field);
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === 'Escape') leave();
    if (event.key === 'Enter' && refusal === undefined)
      explorer.finish(field, name).catch((error: unknown) => commands.onFailure(error));
  };
  const label = own === undefined ? `Name of the new ${field.kind}` : `New name of ${own}`;
  const isFolder =
    field.kind === 'folder' || project.entries.value.find((each) => each.path === own)?.kind === 'folder';
  return (
    <div
      className="row name-field"
      role="treeitem"
      tabIndex={-1}
      aria-level={depth + 1}
      style={{ '--d': depth } as CSSProperties}
    >
      <span className="lead" />
      <Icon name={isFolder ? 'folder' : fileLooks.of(path).name} className="type-icon" />
      <input
        ref={input}
        className={isWrong ? 'input bad grow' : 'input grow'}
        aria-label={label}
        aria-invalid={isWrong}
        title={isWrong ? refusal : undefined}
        value={name}
        spellCheck={false}
        onChange={({ target }) => setName(target.value)}
        onKeyDown={onKeyDown}
        onBlur={leave}
      />
      {isWrong && (
        <span className="popover name-refusal" role="alert">
          {refusal}
        </span>
      )}
    </div>
  );
}
