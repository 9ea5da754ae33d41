import { useEffect, useRef, useState } from 'react';
import { makeDiffEditor } from '../editor/diff/diff-editor.ts';
import { monaco } from '../project/monaco.ts';
import { useStudio } from '../shell/studio.ts';
import { useStore } from '../state/use-store.ts';
import { gitOf } from './git.ts';

/** A file beside what it was at the last commit; nothing can be written here. */
export function CompareView({ path }: { readonly path: string }) {
  const studio = useStudio();
  const git = gitOf(studio);
  const { project, notices, settings } = studio;
  const { fontSize } = useStore(settings.state);
  const holder = useRef<HTMLDivElement>(null);
  const commit = useStore(git.state, (state) => state?.commit);
  const kind = useStore(git.byPath, (all) => all.get(path));
  const [isEqual, setEqual] = useState<boolean>();
  useEffect(() => {
    if (commit === undefined) return;
    let isGone = false;
    const undo: (() => void)[] = [];
    const show = async () => {
      const before = (await git.textOf(path)) ?? '';
      const document = kind === 'removed' ? undefined : await project.open(path);
      if (isGone || holder.current === null) return;
      const language = document?.model.getLanguageId() ?? (path.endsWith('.hcl') ? 'hcl' : 'plaintext');
      const original = monaco.editor.createModel(before, language);
      const modified = document?.model ?? monaco.editor.createModel('', language);
      const diff = makeDiffEditor(holder.current, {
        original: `${path} at the last commit`,
        modified: `${path} now`,
        fontSize,
        readOnly: true,
      });
      diff.setModel({ original, modified });
      const compared = diff.onDidUpdateDiff(() => setEqual(diff.getLineChanges()?.length === 0));
      undo.push(() => {
        compared.dispose();
        diff.dispose();
        original.dispose();
        if (document === undefined) modified.dispose();
      });
    };
    show().catch((error: unknown) => notices.failed(error));
    return () => {
      isGone = true;
      for (const each of undo) each();
    };
  }, [commit, kind, path, git, project, notices, fontSize]);
  if (commit === undefined)
    return (
      <div className="empty">
        <p>There is no commit that {path} could be compared with.</p>
      </div>
    );
  return (
    <div className="compare-view">
      <p className="compare-head" role="status">
        <b>{path}</b> at commit <span className="mono">{commit.slice(0, 8)}</span> and now
        {isEqual === true && '. Both are equal.'}
      </p>
      <div ref={holder} className="compare-editor" />
    </div>
  );
}
