import { useEffect, useRef, useState } from 'react';
import { monaco } from '../project/monaco.ts';
import { useStudio } from '../shell/studio.ts';
import { useStore } from '../state/use-store.ts';
import { gitOf } from './git.ts';

/** A file beside what it was at the last commit; nothing can be written here. */
export function CompareView({ path }: { readonly path: string }) {
  const studio = useStudio();
  const git = gitOf(studio);
  const { project, notices } = studio;
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
      const diff = monaco.editor.createDiffEditor(holder.current, {
        readOnly: true,
        originalEditable: false,
        automaticLayout: true,
        renderSideBySide: true,
        useInlineViewWhenSpaceIsLimited: true,
        renderSideBySideInlineBreakpoint: 700,
        hideUnchangedRegions: { enabled: true },
        fontFamily: getComputedStyle(window.document.documentElement).getPropertyValue('--font-mono'),
        lineHeight: 20,
        minimap: { enabled: false },
        renderOverviewRuler: false,
        scrollBeyondLastLine: false,
        fixedOverflowWidgets: true,
        originalAriaLabel: `${path} at the last commit`,
        modifiedAriaLabel: `${path} now`,
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
  }, [commit, kind, path, git, project, notices]);
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
