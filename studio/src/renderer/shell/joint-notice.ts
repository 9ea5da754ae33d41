import type { JointEdit } from '../project/joint-edit.ts';
import { count } from './count.ts';
import type { Studio } from './studio.ts';

const topic = 'joint edit';

/** Says what was done in how many files (`Renamed in 8 files`); where these are several, offers to save or undo it all. */
export function tellJointEdit(studio: Studio, done: string, edit: JointEdit): void {
  const { announce, notices, project } = studio;
  const { length } = edit.documents;
  const text = `${done} in ${count(length, 'file')}`;
  announce(`${text}, not saved yet`);
  if (length < 2) return;
  const undo = () => {
    edit.undo();
    announce(`Undone in ${count(length, 'file')}`);
  };
  const save = () => void project.saveAll().catch((error: unknown) => notices.failed(error));
  notices.show(
    'info',
    text,
    [
      { title: 'Save all', run: save },
      { title: 'Undo', run: undo },
    ],
    topic,
  );
  const stop = edit.isLatest.subscribe(() => {
    stop();
    notices.end(topic);
  });
}
