import type { TargetSpec } from '@svc/protocol/schema';
import { block, flag, int, oneOf, size, text } from '@svc/protocol/schema';
import { fileFormatNames, fileFormatSynonyms as synonyms } from '../../platform/formats/files/names.ts';
import { escapeFormulas } from '../../platform/formats/format-spec.ts';
import { operationAttributes, operationLabel, param } from '../core/spec.ts';
import { actionNamed, actionOf, actions, effectOf } from './actions.ts';
import { parametersOf, type StoreSpec } from './parameters.ts';

/** `format` of the connector. */
const defaultFormat = oneOf('Format of files of which neither the call nor the name says one.', fileFormatNames, {
  default: 'json',
  synonyms,
});

/** `format` of one call. */
const format = oneOf('Format of the file; its name decides when absent, and then the connector.', fileFormatNames, {
  synonyms,
});

/** How every store reads and writes files; `...fileAttributes` is part of its spec. */
export const fileAttributes = {
  format: defaultFormat,
  escape_formulas: escapeFormulas,
  csv_delimiter: text('Character between the cells of CSV files; also `tab`, `semicolon`, `pipe`.', {
    default: ',',
    pattern: {
      source: '^(?:[^"\\r\\n\\0]|\\\\t|[Tt]ab|[Ss]emicolon|[Pp]ipe|[Cc]omma)$',
      says: 'must be one character, or tab, semicolon or pipe',
    },
  }),
  csv_comment: text('Lines of tables that begin with this are passed over.', { example: '"#"' }),
  csv_no_header: flag('Tables have no header: columns are named `column_1` and so on, or as `columns` says.', {
    default: false,
  }),
  csv_trim_space: flag('Removes blanks around the cells of tables.', { default: false }),
  csv_skip_rows: int('Lines before a table that are passed over.', { default: 0, min: 0, max: 1_000_000 }),
  max_read: size(
    'Largest file whose rows are read into memory. A batch reads larger ones, and `download` passes them on.',
    {
      default: 64 * 1024 * 1024,
      min: 1,
      max: 1024 * 1024 * 1024,
    },
  ),
  max_entries: int('Most entries of a list.', { default: 10_000, min: 1, max: 1_000_000 }),
} as const;

const { timeout, ...otherAttributes } = operationAttributes;

/** `operation "name"` of a store. */
export function fileOperation(known: StoreSpec) {
  return block({
    doc: 'Files of one kind under a name that flows write in `operation`.',
    label: operationLabel,
    repeated: true,
    attributes: {
      ...otherAttributes,
      timeout,
      path_pattern: text(
        'Path of the file. `{name}` is the parameter, the field of the payload or the field of the message of that name, which cannot lead to another folder.',
        {
          required: true,
          aliases: ['path', 'key'],
          example: '"reports/{year}/{customer}.csv"',
        },
      ),
      action: oneOf('What is done; it follows from the flow when absent.', oneFile(known)),
      format,
    },
    blocks: { param },
  });
}

/** Actions on the one file that a pattern names. */
function oneFile({ actions: known }: StoreSpec) {
  return known.filter((action) => action !== 'copy' && action !== 'move');
}

/** How flows use a store. */
export function fileTarget(known: StoreSpec): TargetSpec {
  const named = (operation: string) => actionNamed(operation, known.actions);
  return {
    abilities: ['read', 'write', 'call'],
    needsOneOf: ['target', 'operation', 'params'],
    offers: known.actions,
    forwards: ['content', '_binary'],
    scans: (operation) => operation === undefined || named(operation) === 'read',
    effect: (operation) => {
      const action = named(operation);
      return action && effectOf(action);
    },
    checkOperation: (operation) => {
      if (named(operation) !== undefined) return undefined;
      const elsewhere = actionNamed(operation, actions);
      if (elsewhere !== undefined) return `"${operation}" cannot be done here: there are ${known.actions.join(', ')}`;
      return `"${operation}" is neither ${known.actions.join(', ')} nor an operation of the connector`;
    },
    checkTarget: (target) => {
      const problem = known.naming.problem(target);
      return problem === undefined ? undefined : `"${target}" ${problem}`;
    },
    checkCall: ({ place, operation, verb, target }, config) => {
      const refused = target === undefined ? undefined : known.naming.problem(target, config);
      if (refused !== undefined) return { word: 'target', problem: `"${target}" ${refused}` };
      const action = operation === undefined ? actionOf(verb) : named(operation);
      if (place !== 'batch' || action !== 'write' || target === undefined) return undefined;
      const problem = 'each row would replace the file that the one before it wrote';
      if (!known.actions.includes('append'))
        return { word: 'target', problem: `${problem}: write the whole list from a flow, or name the file in params` };
      return { word: 'operation', problem: `${problem}: write operation = "append"` };
    },
    parameters: (operation, block, connector) => parametersOf(operation, block, known, connector),
  };
}

const spoken = { format };

/** What may be written in blocks that name a store. */
export const fileWords = {
  to: block({ doc: 'What a destination says of a file.', attributes: spoken }),
  step: block({ doc: 'What a step says of a file.', attributes: spoken }),
  action: block({ doc: 'What an action says of a file.', attributes: spoken }),
  enrich: block({ doc: 'What an enrichment says of a file.', attributes: spoken }),
  batch: block({ doc: 'What a batch says of a file.', attributes: spoken }),
} as const;
