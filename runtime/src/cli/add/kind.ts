import type { Project } from '@svc/protocol/model';
import type { Vocabulary } from '@svc/protocol/schema';
import { closest } from '@svc/protocol/text';
import { UsageError } from '../command.ts';

export { missing } from '../../tools/import/contract.ts';

/** What was typed after `svc add KIND NAME`. */
export interface Given {
  /** One text of an option; undefined when it was not given. */
  text(option: string): string | undefined;
  /** The values of an option; empty when it was not given. */
  list(option: string): readonly string[];
}

export interface AddContext {
  readonly name: string;
  readonly given: Given;
  /** The present configuration, whether it is valid or not. */
  readonly project: Project;
  readonly vocabulary: Vocabulary;
}

/** Something that can be added. */
export interface AddKind {
  /** As it is typed: `state-machine`. */
  readonly name: string;
  /** As it is written in files: `state_machine`. */
  readonly word: string;
  /** Other blocks that share its names. */
  readonly sharesNamesWith?: string;
  /** Where files of this kind are written. */
  readonly folder: string;
  /** The options that it takes. */
  readonly options: readonly string[];
  /** The source of the block; its layout is made afterwards. Throws UsageError for values that cannot be written. */
  readonly source: (context: AddContext) => string;
}

/** Names of the root blocks of one kind, in files with errors too. */
export function namesOf(word: string, { files }: Project): readonly string[] {
  return files.flatMap(({ body }) =>
    body.items.flatMap((item) => {
      if (item.kind !== 'block' || item.type.text !== word) return [];
      const [label] = item.labels;
      return label === undefined ? [] : [label.text];
    }),
  );
}

/** Refuses a name that no block of this kind has, and lists those that exist. */
export function existing(word: string, name: string, project: Project): string {
  const names = namesOf(word, project);
  if (names.includes(name)) return name;
  const near = closest(name, names);
  const known = names.length === 0 ? 'none exists' : `these exist: ${names.join(', ')}`;
  throw new UsageError(
    `there is no ${word} "${name}"${near === undefined ? '' : `; did you mean "${near}"?`}; ${known}`,
  );
}

/** Refuses a word that is not among the choices. */
export function chosen(what: string, word: string, choices: readonly string[]): string {
  if (choices.includes(word)) return word;
  throw new UsageError(`there is no ${what} "${word}"; it is one of ${choices.join(', ')}`);
}

/** A name that expressions can read. */
export function fieldName(name: string): string {
  if (/^[A-Za-z]\w*$/.test(name)) return name;
  throw new UsageError(`"${name}" is not a name for a field: use letters, digits and underscores`);
}

/** Names of attributes in all unlabelled blocks of one kind. */
export function attributesOf(word: string, { files }: Project): readonly string[] {
  return files.flatMap(({ body }) =>
    body.items.flatMap((item) =>
      item.kind === 'block' && item.type.text === word
        ? item.body.items.flatMap((inner) => (inner.kind === 'attribute' ? [inner.name.text] : []))
        : [],
    ),
  );
}
