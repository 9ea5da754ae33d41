import type { Project } from '../model/index.ts';
import type { NameKey, NamePlace } from './names.ts';
import type { FileState, ProjectState } from './states.ts';

/** The place at an offset; undefined when there is no name. */
export function nameAt(file: FileState, offset: number): NamePlace | undefined {
  return file.names.find(({ range }) => offset >= range.start && offset <= range.end);
}

/** Every place of the project with the same name. */
export function placesOf(state: ProjectState, { kind, name, owner, within }: NameKey): readonly NamePlace[] {
  return [...state.files.values()]
    .sort((a, b) => (a.tree.file < b.tree.file ? -1 : 1))
    .flatMap((file) =>
      file.names
        .filter(
          (place) => place.kind === kind && place.name === name && place.owner === owner && place.within === within,
        )
        .sort((a, b) => a.range.start - b.range.start),
    );
}

/**
 * Names of the whole project of one kind, in the order in which they are declared. `storage` is a kind of connector;
 * operations are those of their `owner`.
 */
export function namesOf(kind: string, state: ProjectState, owner?: string): readonly NamePlace[] {
  const { project } = state;
  const stores = (name: string) => (project as Project).connectors.get(name)?.spec?.storage === true;
  return [...state.files.values()].flatMap((file) =>
    file.names.filter(
      (place) =>
        place.declares !== undefined &&
        place.within === undefined &&
        place.owner === owner &&
        (place.kind === kind || (kind === 'storage' && place.kind === 'connector' && stores(place.name))),
    ),
  );
}
