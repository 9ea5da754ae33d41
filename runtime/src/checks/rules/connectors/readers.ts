import type { ProjectRule } from '@svc/protocol/model';
import { isWritten, originOf } from '@svc/protocol/schema';
import { dialectOf } from '../../../connectors/database/engines.ts';

/** A database in the memory of the service has no file that another process could read. */
export const checkReaders: ProjectRule = (project, report) => {
  for (const connector of project.connectors.values()) {
    for (const { name, spec, values } of [connector, ...connector.profiles.values()]) {
      const given: unknown = 'readers' in values ? values['readers'] : undefined;
      if (!isWritten(values, 'readers') || given === 0 || dialectOf(spec)?.reach(values) !== 'process') continue;
      report(
        'readers-of-memory',
        `database "${name}" is in the memory of the service, which no reader can read`,
        originOf(values, 'readers'),
        { help: 'Remove readers, or give the database a file.' },
      );
    }
  }
};
