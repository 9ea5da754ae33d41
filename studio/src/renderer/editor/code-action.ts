import type { CodeAction } from '@svc/protocol/language';
import type { Diagnostic } from '@svc/protocol/text';
import { tellJointEdit } from '../shell/joint-notice.ts';
import type { Studio } from '../shell/studio.ts';
import { revealOffsets } from './reveal.ts';

/** What can be done about one problem, in the text as it is now: it may have changed since it was checked. */
export async function actionsFor({ language }: Studio, problem: Diagnostic): Promise<readonly CodeAction[]> {
  const found = await language.ask('codeActions', [problem.file, problem.range]);
  return found.filter(({ diagnostic }) => diagnostic.code === problem.code && diagnostic.message === problem.message);
}

/** Does it, one step of undo in each file; what is created wants to be filled in, and is shown. */
export async function applyAction(studio: Studio, { edits, creates, isWhole }: CodeAction): Promise<void> {
  const { project } = studio;
  if (creates !== undefined) await project.create(creates, '');
  const edit = await project.apply([...edits].map(([file, own]) => ({ file, edits: own })));
  if (edit.documents.length > 1) tellJointEdit(studio, 'Changed', edit);
  if (isWhole) return;
  const file = creates ?? [...edits.keys()][0];
  const [first] = (file === undefined ? undefined : edits.get(file)) ?? [];
  if (file === undefined || first === undefined) return;
  const { start } = first.range;
  const blank = first.text.length - first.text.trimStart().length;
  await revealOffsets(studio, file, start + blank, start + first.text.trimEnd().length);
}
