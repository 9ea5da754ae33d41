import { pathToFileURL } from 'node:url';

/**
 * Gives a CommonJS module that `import()` loads the names that Node gives it. Of such a module esbuild writes a file with
 * a default export alone, so that code which takes a name out of it works as a source and not once it is bundled. Node finds
 * the names without running the module; they are asked of it here, by loading each module once.
 */
export function sameNames() {
  const setup = ({ onResolve, onLoad, resolve }) => {
    onResolve({ filter: /./ }, async ({ path, kind, importer, resolveDir, with: attributes, pluginData }) => {
      if (kind !== 'dynamic-import' || pluginData === checked || attributes.type === 'json') return undefined;
      const found = await resolve(path, { kind, importer, resolveDir, with: attributes, pluginData: checked });
      const isPackage = found.errors.length === 0 && !found.external && scriptOfPackage.test(found.path);
      return isPackage && (await isCommon(found.path)) ? { path: found.path, suffix } : found;
    });
    onLoad({ filter: scriptOfPackage }, async ({ path, suffix: found }) =>
      found === suffix ? { contents: withNames(path, await namesOf(path)) } : undefined,
    );
  };
  return { name: 'same-names', setup };
}

/** What this rule has resolved already. */
const checked = Symbol('checked');

/** The module with its names, beside the module itself. */
const suffix = '?names';

const scriptOfPackage = /[\\/]node_modules[\\/].*\.c?js$/;

/** Node gives `module.exports` as a name of CommonJS modules alone. */
async function isCommon(path) {
  return 'module.exports' in (await loaded(path));
}

async function namesOf(path) {
  const others = new Set(['default', 'module.exports', '__esModule']);
  return Object.keys(await loaded(path)).filter((name) => !others.has(name));
}

function loaded(path) {
  return import(pathToFileURL(path).href);
}

/** The default export is what the module assigned, as in Node, whatever it says of itself. */
function withNames(path, names) {
  const constants = names.map((name, index) => `const name${index} = whole[${JSON.stringify(name)}];`);
  const exported = names.map((name, index) => `name${index} as ${JSON.stringify(name)}`);
  return [
    `const whole = require(${JSON.stringify(path)});`,
    ...constants,
    `export { ${['whole as default', ...exported].join(', ')} };`,
  ].join('\n');
}
