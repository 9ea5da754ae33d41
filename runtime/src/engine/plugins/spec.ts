import { block, flag, list, text } from '@svc/protocol/schema';
import { abi, functionPattern, moduleFileDoc, moduleLimits } from '../flow/module-spec.ts';

/** The functions of a module, in a `functions` block and in a manifest. */
export const functionAttributes = {
  exports: list(
    'The functions: the name of each, or its name with those of its arguments (at most five), so that calls with another number are found. A name alone takes any number of arguments up to five.',
    text('A function.', { pattern: functionPattern }),
    { required: true, example: '["score(order, rate)", "today"]' },
  ),
  deterministic: list(
    'Those that give the same for the same arguments: where these are constant, they are called once.',
    text('Name of a function.'),
  ),
  abi,
};

export const functions = block({
  doc: 'Functions of a module (WebAssembly) that expressions call by name. A call is waited for, so that they can be called where fields of `transform` and `response`, conditions of `filter` and `accept`, parameters of steps and enrichments, and `when` of steps and destinations are evaluated.',
  label: { name: 'name', doc: 'Name of the module in messages and metrics.' },
  repeated: true,
  attributes: {
    wasm: text(moduleFileDoc, { required: true, example: '"./modules/pricing.wasm"' }),
    ...functionAttributes,
    ...moduleLimits,
  },
  example: 'functions "pricing" {\n  wasm    = "./modules/pricing.wasm"\n  exports = ["score(order, rate)"]\n}',
});

export const plugin = block({
  doc: 'Adds what a plugin provides: types of connectors, functions, validators, sanitizers. Its manifest says what these are. The limits hold for each of its modules.',
  label: { name: 'name', doc: 'Name of the plugin, as its manifest has it.' },
  repeated: true,
  attributes: {
    source: text(
      'Where the plugin is: a folder, relative to the configuration directory; a repository, as `github.com/owner/geo` or any address that git fetches by https, ssh or file; an archive (`.tgz`, `.tar.gz`), as a file or an address. What is not a folder is installed by `svc plugin install`.',
      { required: true, example: '"github.com/owner/geo"' },
    ),
    version: text(
      'Versions of a repository that may be installed, which are its tags: `^1.0`, `~2.0`, `>= 1.0, < 3.0`, `1.2.3`, `latest`. A pre-release is named exactly. Absent: `latest`.',
      { example: '"^1.0"' },
    ),
    copy: flag('Whether a folder is copied when it is installed, and locked, instead of being read where it is.', {
      default: false,
    }),
    ...moduleLimits,
  },
  example: 'plugin "geo" {\n  source  = "github.com/owner/geo"\n  version = "^1.0"\n}',
});

/** Root blocks of plugins by word. */
export const pluginBlocks = { functions, plugin } as const;
