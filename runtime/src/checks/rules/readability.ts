import type { ProjectRule } from '@svc/protocol/model';
import type { SyntaxTree } from '@svc/protocol/syntax';

const many = 8;

/** Folders that say what their files hold. */
const folders: Readonly<Record<string, string>> = {
  connectors: 'connector',
  flows: 'flow',
  sagas: 'saga',
  types: 'type',
  transforms: 'transform',
  validators: 'validator',
  aspects: 'aspect',
};

interface Place {
  readonly word: string;
  readonly name: string;
  readonly file: string;
}

/** Files that are hard to find one's way in. */
export const checkReadability: ProjectRule = (project, report) => {
  const declared = Map.groupBy(
    project.files.flatMap((tree) => readTree(tree).places),
    ({ name }) => name,
  );
  for (const tree of project.files) {
    const { file, body } = tree;
    const blocks = body.items.filter((item) => item.kind === 'block');
    const first = blocks[0];
    if (!first) continue;
    // Tests are found by their names.
    if (blocks.length >= many && first.type.text !== 'test')
      report(
        'crowded-file',
        `${file} holds ${blocks.length} declarations`,
        { file, range: first.type },
        { severity: 'info', help: 'Files are easier to find when each holds one thing or a few that belong together.' },
      );
    const meant = namesake(tree, declared);
    if (meant)
      report(
        'misleading-file-name',
        `${file} is named after ${meant.word} "${meant.name}", which is in ${meant.file}`,
        { file, range: first.type },
        { severity: 'info', help: `Move ${meant.word} "${meant.name}" here, or rename one of the files.` },
      );
  }
};

/** What a file declares, and what its path promises. */
interface ReadTree {
  readonly places: readonly Place[];
  /** The name of the file without its ending. */
  readonly base: string;
  /** The word that its folder is named after. */
  readonly word: string | undefined;
}

const known = new WeakMap<SyntaxTree, ReadTree>();

/** A tree that did not change is not read again. */
function readTree(tree: SyntaxTree): ReadTree {
  let read = known.get(tree);
  if (read === undefined) {
    const parts = tree.file.split('/');
    const base = (parts.pop() ?? '').replace(/\.\w+$/, '');
    const word = parts.map((part) => folders[part]).findLast((one) => one !== undefined);
    known.set(tree, (read = { places: declarationsOf(tree), base, word }));
  }
  return read;
}

function declarationsOf({ file, body }: SyntaxTree): readonly Place[] {
  return body.items.flatMap((item) => {
    const name = item.kind === 'block' ? item.labels[0]?.text : undefined;
    return item.kind === 'block' && name !== undefined ? [{ word: item.type.text, name, file }] : [];
  });
}

/** The declaration that the name of the file promises, when only other files hold it. */
function namesake(tree: SyntaxTree, declared: ReadonlyMap<string, readonly Place[]>): Place | undefined {
  const { base, word } = readTree(tree);
  const promised = (declared.get(base) ?? []).filter((place) => word === undefined || place.word === word);
  return promised.some((place) => place.file === tree.file) ? undefined : promised[0];
}
