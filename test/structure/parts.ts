/** One part of the repository: the files it is made of, and the parts and packages they may import. */
export interface Part {
  readonly name: string;
  readonly files: RegExp;
  readonly may: readonly string[];
  /** Built-in modules and packages of npm; absent means any. */
  readonly outside?: RegExp;
}

const none = /^$/;
const protocol = ['@svc/protocol'];
/** The first part that matches a file is its part. */
export const parts: readonly Part[] = [
  { name: 'text', files: /^protocol\/src\/text\//, may: [], outside: none },
  { name: 'syntax', files: /^protocol\/src\/syntax\//, may: ['text'], outside: none },
  { name: 'schema', files: /^protocol\/src\/schema\//, may: ['text', 'syntax'], outside: none },
  { name: 'cel', files: /^protocol\/src\/cel\//, may: ['text', 'syntax', 'schema'], outside: none },
  { name: 'model', files: /^protocol\/src\/model\//, may: ['text', 'syntax', 'schema', 'cel'], outside: none },
  {
    name: 'language',
    files: /^protocol\/src\/language\//,
    may: ['text', 'syntax', 'schema', 'cel', 'model'],
    outside: none,
  },
  { name: 'wire', files: /^protocol\/src\/wire\//, may: ['text'], outside: none },
  { name: 'lsp', files: /^protocol\/src\/lsp\//, may: ['text', 'language', 'wire'], outside: none },

  // The order inside is that of its wings.
  { name: 'runtime', files: /^runtime\/src\//, may: protocol },

  { name: 'studio shared', files: /^studio\/src\/shared\//, may: [], outside: none },
  {
    name: 'studio host',
    files: /^studio\/src\/host\//,
    // Of the runtime it knows which files a configuration is made of, nothing else.
    may: [...protocol, '@svc/runtime', 'studio shared'],
    outside: /^(node:.*|ws)$/,
  },
  {
    name: 'studio main',
    files: /^studio\/src\/main\//,
    may: ['studio shared', 'studio host'],
    outside: /^(node:.*|electron)$/,
  },
  { name: 'studio preload', files: /^studio\/src\/preload\//, may: ['studio shared'], outside: /^electron$/ },
  ...['worker', 'renderer'].map(
    (name): Part => ({
      name: `studio ${name}`,
      files: new RegExp(`^studio/src/${name}/`),
      may: [...protocol, '@svc/runtime', 'studio shared', ...(name === 'renderer' ? ['studio worker'] : [])],
      // Electron and the platform of the host are out of reach of a page.
      outside: /^(?!node:|electron$|ws$)/,
    }),
  ),
  { name: 'studio build', files: /^studio\/vite\.config\.ts$/, may: [] },

  {
    name: 'studio benchmarks',
    files: /^test\/bench\/studio(\/|\.ts$)/,
    // They measure the windows that the tests from end to end open.
    may: [...protocol, 'tests', 'end to end', 'studio worker'],
  },
  { name: 'tests', files: /^test\//, may: [...protocol, '@svc/runtime', 'runtime', 'scripts'] },
  { name: 'end to end', files: /^e2e\//, may: ['tests'] },
  { name: 'scripts', files: /^scripts\//, may: [...protocol, '@svc/runtime', 'tests', 'runtime'] },
];
