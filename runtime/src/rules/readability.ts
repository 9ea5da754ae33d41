import type { ProjectRule } from '@svc/protocol/model';

const many = 8;

/** Files that are hard to find one's way in (supplement 6.3). */
export const checkReadability: ProjectRule = (project, report) => {
  for (const { file, body } of project.files) {
    const blocks = body.items.filter((item) => item.kind === 'block');
    const first = blocks[0];
    if (!first || blocks.length < many) continue;
    report(
      'crowded-file',
      `${file} holds ${blocks.length} declarations`,
      { file, range: first.type },
      {
        severity: 'info',
        help: 'Files are easier to find when each holds one thing or a few that belong together.',
      },
    );
  }
};
