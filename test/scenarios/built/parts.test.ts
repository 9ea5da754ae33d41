import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Loaded, lateParts, load, packageModuleOf, scripts, textOf } from './built-parts.ts';
import { namesTaken } from './names-taken.ts';

const packages = lateParts.flatMap((part) => {
  const module = packageModuleOf(part);
  return module === undefined ? [] : [{ module, part }];
});
const loaded = load([...lateParts, ...packages.map(({ module }) => module)]);
/** What CommonJS has beside its names: its marks, and the whole under a further name. */
const marks = new Set(['__esModule', 'module.exports']);
/** The types of the values of a module, by name. One that cannot be loaded gives none. */
const givenBy = (path: string) => {
  const found = loaded.get(path) as Loaded;
  return 'names' in found ? found.names : {};
};
const namesOf = (path: string) => Object.keys(givenBy(path)).filter((name) => !marks.has(name));

/** Each use of a part that is loaded late. */
const uses = scripts.flatMap((script) =>
  namesTaken(textOf(script)).flatMap(({ from, names }) => {
    const part = posix.join(posix.dirname(script), from);
    return lateParts.includes(part) ? [{ script, part, names }] : [];
  }),
);

describe('parts of the built program that are loaded late', () => {
  test('can be loaded', () => {
    expect(lateParts.length).toBeGreaterThan(100);
    const failed = lateParts.filter((part) => 'failure' in (loaded.get(part) as Loaded));
    expect(failed.map((part) => [part, loaded.get(part)])).toEqual([]);
  });

  test('are found where they are used', () => {
    expect(lateParts.filter((part) => !uses.some((use) => use.part === part))).toEqual([]);
  });

  test('have every name that is taken out of them', () => {
    const missing = uses.flatMap(({ script, part, names = [] }) => {
      const given = givenBy(part);
      const absent = names.filter((name) => (given[name] ?? 'undefined') === 'undefined');
      return absent.length === 0 ? [] : [`${script} takes ${absent} out of ${packageModuleOf(part) ?? part}`];
    });
    expect(missing).toEqual([]);
  });

  test.each(packages)('$module has the names that it has in Node', ({ module, part }) => {
    expect(namesOf(part).sort()).toEqual(namesOf(module).sort());
  });
});
