import { abiText } from './abi-text.ts';
import { jsonText } from './json-text.ts';
import { type Kind, kindFiles } from './kinds.ts';

/** The compiler that new plugins are made with. Tests compile them with this version. */
export const compilerVersion = '0.28.20';

/** The files of a new plugin by their paths. */
export function projectFiles(name: string, kind: Kind): Readonly<Record<string, string>> {
  const id = name.replaceAll('-', '_');
  const { index, provides, cases, use } = kindFiles[kind](name, id);
  const script = `asc assembly/index.ts --outFile ${name}.wasm --optimize --exportStart _initialize`;
  const manifest = {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    scripts: { build: script, test: 'npm run build && svc plugin test' },
    devDependencies: { assemblyscript: compilerVersion },
  };
  return {
    'assembly/abi.ts': abiText,
    'assembly/index.ts': index,
    'assembly/json.ts': jsonText,
    'assembly/tsconfig.json': json({ extends: 'assemblyscript/std/assembly.json', include: ['./**/*.ts'] }),
    'package.json': json(manifest),
    'plugin.hcl': `plugin {
  name        = "${name}"
  version     = "0.1.0"
  description = "A ${kind} of a plugin."
}

provides {
${provides}}
`,
    'tests/cases.json': json(cases),
    'README.md': readme(name, kind, use),
    '.gitignore': 'node_modules/\n',
  };
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function readme(name: string, kind: Kind, use: string): string {
  return `# ${name}

A plugin that provides a ${kind}. Its sources are AssemblyScript (\`assembly/index.ts\`); \`plugin.hcl\` says what it provides.

\`\`\`sh
npm install
npm run build
svc plugin test
\`\`\`

The build writes \`${name}.wasm\`. Commit it: those who install the plugin do not compile it. \`tests/cases.json\` says what its
functions are given and what must come of it.

A service declares the plugin with the path of this folder:

\`\`\`hcl
plugin "${name}" {
  source = "./plugins/${name}"
}
\`\`\`

and uses it:

\`\`\`hcl
${use}\`\`\`
`;
}
