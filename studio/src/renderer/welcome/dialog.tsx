import { type SyntheticEvent, useEffect, useRef, useState } from 'react';
import type { Template } from '../../shared/services.ts';
import { useStudio } from '../shell/studio.ts';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import type { OpeningDialog } from './opening.ts';
import { RecentProject } from './recent.tsx';
import { TemplateChoice } from './templates.tsx';
import { useOpening } from './use-opening.ts';

export function OpenProjectDialog() {
  const dialog = useStore(useOpening().dialog);
  return dialog && <DialogBox key={dialog.kind} dialog={dialog} />;
}

/** Asks for a folder by its path; what is wrong with it is said below the field. */
function DialogBox({ dialog }: { readonly dialog: OpeningDialog }) {
  const opening = useOpening();
  const recent = useStore(opening.recent);
  const templates = useTemplates();
  const box = useRef<HTMLDialogElement>(null);
  const [directory, setDirectory] = useState('');
  const [template, setTemplate] = useState(dialog.kind === 'create' ? dialog.template : undefined);
  const [refusal, setRefusal] = useState<string>();
  const folders = useFolders(directory);
  useEffect(() => box.current?.showModal(), []);
  const isNew = dialog.kind === 'create';
  const chosen = template ?? templates[0]?.id;
  usePlace(isNew ? chosen : undefined, setDirectory);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    setRefusal(undefined);
    const done = isNew && chosen !== undefined ? opening.create(chosen, directory) : opening.open(directory);
    done.catch((error: unknown) => setRefusal(error instanceof Error ? error.message : String(error)));
  };
  const title = isNew ? 'New project from a template' : 'Open a folder';
  return (
    <dialog ref={box} className="dialog popover" aria-label={title} onClose={() => opening.dialog.set(undefined)}>
      <h2>{title}</h2>
      {isNew && (
        <fieldset className="template-list" aria-label="Template">
          {templates.map((each) => (
            <TemplateChoice
              key={each.id}
              template={each}
              isChosen={each.id === chosen}
              onChoose={() => setTemplate(each.id)}
            />
          ))}
        </fieldset>
      )}
      <form className="dialog-form" onSubmit={submit}>
        <label htmlFor="project-directory">
          {isNew ? 'New folder, by its whole path' : 'Folder, by its whole path'}
        </label>
        <input
          id="project-directory"
          className={refusal === undefined ? 'input mono' : 'input mono bad'}
          autoFocus
          required
          spellCheck={false}
          placeholder="/home/me/code/orders"
          list="project-folders"
          autoComplete="off"
          aria-describedby="project-refusal"
          value={directory}
          onChange={({ target }) => setDirectory(target.value)}
        />
        <datalist id="project-folders">
          {folders.map((folder) => (
            <option key={folder} value={folder} />
          ))}
        </datalist>
        <p id="project-refusal" role="alert" className="error ink">
          {refusal}
        </p>
        <p className="note">
          <Icon name="lock" />
          {isNew
            ? 'Its files are written there; the folder must be new or empty.'
            : 'Nothing in a folder runs until you trust it.'}
        </p>
        <div className="question-buttons">
          <button type="submit" className="button primary">
            {isNew ? 'Create project' : 'Open folder'}
          </button>
          <button type="button" className="button" onClick={() => opening.dialog.set(undefined)}>
            Cancel
          </button>
        </div>
      </form>
      {!isNew && recent.length > 0 && (
        <div className="scroll">
          <h3>Recent</h3>
          {recent.map((each) => (
            <RecentProject key={each} directory={each} />
          ))}
        </div>
      )}
    </dialog>
  );
}

/** Folders that begin with what is typed; those of an answer that comes late are left out. */
function useFolders(typed: string): readonly string[] {
  const { bridge } = useStudio();
  const [folders, setFolders] = useState<readonly string[]>([]);
  useEffect(() => {
    let isLate = false;
    bridge.call('project.folders', { path: typed }).then(
      (answer) => isLate || setFolders(answer.folders),
      () => undefined,
    );
    return () => {
      isLate = true;
    };
  }, [bridge, typed]);
  return folders;
}

/** Fills in where a new project may go, until the person writes something else. */
function usePlace(template: string | undefined, setDirectory: (change: (typed: string) => string) => void): void {
  const { bridge } = useStudio();
  const filled = useRef('');
  useEffect(() => {
    if (template === undefined) return;
    bridge.call('project.place', { name: template }).then(
      ({ directory }) =>
        setDirectory((typed) => {
          if (typed !== filled.current) return typed;
          filled.current = directory;
          return directory;
        }),
      () => undefined,
    );
  }, [bridge, template, setDirectory]);
}

export function useTemplates(): readonly Template[] {
  const { bridge } = useStudio();
  const [templates, setTemplates] = useState<readonly Template[]>([]);
  useEffect(() => {
    bridge.call('project.templates', {}).then(
      (answer) => setTemplates(answer.templates),
      () => undefined,
    );
  }, [bridge]);
  return templates;
}
