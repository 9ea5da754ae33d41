import type { Values } from '@svc/protocol/schema';
import { block } from '@svc/protocol/schema';
import type { Engine } from './engine.ts';
import { fileAttributes } from './spec.ts';
import { delimiterOf } from './style.ts';

const shared = block({ doc: 'What all stores say.', attributes: fileAttributes });

/** What the block of a connector says of its files, as prepared calls read it. */
export function engineSettings(
  config: Values<typeof shared>,
): Pick<Engine, 'format' | 'style' | 'escapeFormulas' | 'maxRead' | 'maxEntries'> {
  return {
    format: config.format,
    style: {
      delimiter: delimiterOf(config.csv_delimiter) ?? ',',
      comment: config.csv_comment,
      noHeader: config.csv_no_header,
      trimSpace: config.csv_trim_space,
      skipRows: config.csv_skip_rows,
    },
    escapeFormulas: config.escape_formulas,
    maxRead: config.max_read,
    maxEntries: config.max_entries,
  };
}
