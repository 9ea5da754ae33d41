import { block, connector, flag, text } from '@svc/protocol/schema';
import { everyConnector } from '../../core/spec.ts';
import { actions } from '../actions.ts';
import type { StoreSpec } from '../parameters.ts';
import { pathNaming } from '../path.ts';
import { fileAttributes, fileOperation, fileTarget, fileWords } from '../spec.ts';
import { watchBlock, watchInterval, watchSource } from '../watch/spec.ts';

/** What a folder of the machine has. */
export const localStore: StoreSpec = {
  actions: actions.filter((action) => !action.startsWith('presign')),
  naming: pathNaming,
};

/** Files in a folder of the machine. */
export const file = connector({
  type: 'file',
  kind: 'file',
  driver: 'local',
  defaultDriver: true,
  canonical: 'file',
  config: block({
    doc: 'Reads and writes files in a folder. No path leads out of it, links included. A file is replaced at once when every byte is on the disk, so that no other program sees a half-written one.',
    attributes: {
      base_path: text('The folder; relative to the configuration.', {
        required: true,
        namesFile: 'kept',
        example: '"./data"',
      }),
      create_dirs: flag('Makes the folder, and those of files that are written, where they do not exist.', {
        default: true,
      }),
      permissions: text('Mode of files that are written, in octal digits.', {
        default: '0644',
        pattern: { source: '^0?[0-7]{3}$', says: 'must be three octal digits, such as 0640' },
      }),
      watch_interval: watchInterval,
      ...fileAttributes,
      ...everyConnector.attributes,
    },
    blocks: { watch: watchBlock },
    example: `connector "reports" {
  type      = "file"
  base_path = "./reports"
  format    = "csv"
}`,
  }),
  source: watchSource(pathNaming),
  operation: fileOperation(localStore),
  target: fileTarget(localStore),
  words: fileWords,
});
