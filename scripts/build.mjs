// Bundles the command line into runtime/dist and the studio into studio/dist. Run by "npm run build"; needs the
// installed packages, and no network.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import {
  pageFiles,
  pageFolder,
  pagePackage,
  pageParts,
} from '../runtime/src/connectors/graphql/server/http/playground/files.ts';
import { pageFiles as descriptionFiles } from '../runtime/src/connectors/rest/description/description-spec.ts';
import {
  pageFolder as descriptionFolder,
  pagePackage as descriptionPackage,
  pagePart,
} from '../runtime/src/connectors/rest/description/files.ts';
import { noticesOf, packagesOf } from './notices.ts';
import { sameNames } from './same-names.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = `${root}runtime/dist`;
const began = performance.now();

const { metafile } = await bundle();
writeFileSync(`${out}/meta.json`, JSON.stringify(metafile));

await writePages();
report(metafile);
const page = await bundlePage();
const windows = await bundleElectron();
writeNotices(out, [
  ...bundledIn([metafile]),
  ...[pagePackage, descriptionPackage].map((name) => `node_modules/${name}`),
]);
writeNotices(`${root}studio/dist`, [...page, ...bundledIn(windows)]);
console.log(`built in ${Math.round(performance.now() - began)} ms`);

/** The pages of servers, compressed: they are read when a browser asks for them. */
async function writePages() {
  const parts = await pageParts();
  const files = Object.entries(pageFiles).map(([name, { from }]) => [name, parts[from]]);
  writeFolder(pageFolder, files);
  const described = Object.keys(descriptionFiles).map(async (name) => [name, await pagePart(name)]);
  writeFolder(descriptionFolder, await Promise.all(described));
}

function writeFolder(folder, files) {
  mkdirSync(`${out}/${folder}`);
  for (const [name, content] of files) writeFileSync(`${out}/${folder}/${name}.gz`, gzipSync(content, { level: 9 }));
}

/** Bundles into an empty folder. esbuild prints what is wrong; then the process ends. */
async function bundle() {
  rmSync(out, { recursive: true, force: true });
  try {
    return await build(options());
  } catch {
    process.exit(1);
  }
}

/** Bundles the page of the studio, and answers the files that are in it. */
async function bundlePage() {
  const { build: buildStudio } = await import('vite');
  const files = new Set();
  const noted = () => ({
    name: 'noted',
    generateBundle(_, bundle) {
      const assets = Object.values(bundle).flatMap(({ originalFileNames = [] }) => originalFileNames);
      for (const file of [...this.getModuleIds(), ...assets.map((name) => resolve(`${root}studio`, name))])
        files.add(file);
    },
  });
  await buildStudio({
    root: `${root}studio`,
    logLevel: 'warn',
    plugins: [noted()],
    worker: { plugins: () => [noted()] },
  });
  return files;
}

/** Writes what the packages that these files are in ask of those who pass them on. */
function writeNotices(folder, files) {
  writeFileSync(`${folder}/THIRD-PARTY-NOTICES.txt`, noticesOf(packagesOf(files, root)));
}

function bundledIn(metafiles) {
  return metafiles.flatMap(({ outputs }) => Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs)));
}

/** The two programs of Electron that are not the page; the sandbox reads the second as one CommonJS file. */
async function bundleElectron() {
  const common = {
    absWorkingDir: root,
    bundle: true,
    external: ['electron'],
    logLevel: 'warning',
    sourcemap: true,
    metafile: true,
  };
  const main = { entryPoints: ['studio/src/main/main.ts'], outfile: 'studio/dist/main.js', format: 'esm' };
  const preload = { entryPoints: ['studio/src/preload/preload.ts'], outfile: 'studio/dist/preload.cjs', format: 'cjs' };
  const { platform, target, banner, plugins } = options();
  try {
    const built = await Promise.all([
      build({ ...common, ...main, platform, target, banner, plugins }),
      build({ ...common, ...preload, platform }),
    ]);
    return built.map(({ metafile }) => metafile);
  } catch {
    process.exit(1);
  }
}

function options() {
  return {
    absWorkingDir: root,
    // The program, those of the threads that decode large bodies, compute hashes, make documents and run modules of plugins, that of the processes
    // that read SQLite.
    entryPoints: {
      main: 'runtime/src/cli/program.ts',
      'decoding-worker': 'runtime/src/platform/formats/decoding-worker.ts',
      'pdf-worker': 'runtime/src/connectors/pdf/threads/pdf-worker.ts',
      'module-worker': 'runtime/src/engine/plugins/host/module-worker.ts',
      'hash-worker': 'runtime/src/engine/auth/passwords/hash-worker.ts',
      'sqlite-reader': 'runtime/src/connectors/database/sqlite/sqlite-reader.ts',
    },
    outdir: 'runtime/dist',
    bundle: true,
    // Every lazy import becomes a file of its own, read only by services that need it.
    splitting: true,
    chunkNames: 'parts/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node24',
    minifySyntax: true,
    minifyWhitespace: true,
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    // Optional parts of packages that are not installed here; each package falls back by itself. And the package of
    // which the page of GraphQL servers is made, beside the program.
    external: ['pg-native', 'cpu-features', ...optionalOfMongodb(), pagePackage],
    // CommonJS packages inside the bundle ask for built-in modules with require.
    banner: { js: "import{createRequire as $require}from'node:module';const require=$require(import.meta.url);" },
    // They ask for their folder too: ssh2 does so for a part in WebAssembly that is inside its file.
    define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' },
    plugins: [sameNames(), httpAlone(), standardFonts()],
    logLevel: 'warning',
  };
}

/** What the client of MongoDB asks for when an address names another way to sign in, to compress or to encrypt. */
function optionalOfMongodb() {
  return [
    '@aws-sdk/credential-providers',
    '@mongodb-js/zstd',
    'gcp-metadata',
    'kerberos',
    'mongodb-client-encryption',
    'snappy',
    'socks',
  ];
}

/** PDFKit asks for the measures of its built-in fonts at run time, by a name that only its own package resolves. */
function standardFonts() {
  const setup = ({ onLoad }) => {
    onLoad({ filter: /pdfkit\.node\.mjs$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll("require$1('#standard-fonts/", "require('#standard-fonts/"),
    }));
  };
  return { name: 'standard-fonts', setup };
}

/**
 * Importing `node:http` reads each of its exports, and its WebSocket depends on an HTTP client of its own, which takes
 * 20 ms and 5 MiB. Asked for this way, an export is read when it is used.
 */
function httpAlone() {
  const setup = ({ onResolve, onLoad }) => {
    onResolve({ filter: /^(node:)?http$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: 'node:http', namespace: 'built-in' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'built-in' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}');`,
    }));
  };
  return { name: 'http-alone', setup };
}

/** Prints what is read at every start, and the packages that weigh most in all. */
function report({ inputs, outputs }) {
  const scripts = Object.entries(outputs).filter(([name]) => name.endsWith('.js'));
  const total = scripts.reduce((sum, [, { bytes }]) => sum + bytes, 0);
  const eager = new Set();
  const visit = (name) => {
    if (eager.has(name) || outputs[name] === undefined) return;
    eager.add(name);
    for (const { path, kind } of outputs[name].imports) if (kind === 'import-statement') visit(path);
  };
  const [entry] = scripts.find(([, { entryPoint }]) => entryPoint === 'runtime/src/cli/program.ts');
  visit(entry);
  const command = scripts.find(([, { entryPoint }]) => entryPoint === 'runtime/src/cli/main.ts');
  if (command !== undefined) visit(command[0]);
  const atStart = [...eager].reduce((sum, name) => sum + outputs[name].bytes, 0);

  const packages = new Map();
  for (const [, { inputs: parts }] of scripts) {
    for (const [name, { bytesInOutput }] of Object.entries(parts)) {
      const owner = packageOf(name);
      packages.set(owner, (packages.get(owner) ?? 0) + bytesInOutput);
    }
  }
  console.log(`runtime/dist: ${scripts.length} files, ${kib(total)}; ${kib(atStart)} of it read by every command`);
  const heaviest = [...packages].sort(([, a], [, b]) => b - a).slice(0, 8);
  console.log(`  ${heaviest.map(([name, bytes]) => `${name} ${kib(bytes)}`).join(', ')}`);
  if (Object.keys(inputs).length === 0) throw new Error('nothing was bundled');
}

/** `node_modules/@scope/name/x.js` is `@scope/name`; our own sources are named by their workspace. */
function packageOf(input) {
  const path = relative('.', input).split(sep).join('/');
  const match = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path);
  return match === null ? `${path.split('/')[0]}/` : match[1];
}

function kib(bytes) {
  return `${Math.round(bytes / 1024)} KiB`;
}
