import type { Proof } from './proof.ts';

const service = 'runtime/src/engine/plugins/service.test.ts';
const checks = 'runtime/src/engine/plugins/checks.test.ts';
const installation = 'runtime/src/engine/plugins/install/install.test.ts';
const configuration = 'runtime/src/engine/plugins/configuration.test.ts';
const called: Proof = [service, 'are called wherever a place waits, in the order in which it is written'];
const ended: Proof = [service, 'A-03: fail the message alone: an error, a limit'];
const limits: Proof = [configuration, 'limits and forms of results of every block are those of its module'];
const bounded: Readonly<Record<string, Proof>> = { max_memory_mb: limits, max_bytes: limits, instances: limits };
const chosen: Proof = [checks, 'is given the fields and flows that it names, and no other'];
const refused: Proof = [checks, 'refuses values with its message, beside what else is wrong'];

/** What shows each attribute of the blocks that name modules. */
export const functions: Readonly<Record<string, Proof>> = {
  wasm: called,
  exports: called,
  deterministic: called,
  abi: limits,
  timeout: ended,
  ...bounded,
};

export const plugin: Readonly<Record<string, Proof>> = {
  source: [service, 'reads, writes and is asked; its functions and validators are there too'],
  version: [installation, 'a repository is installed, locked, kept, updated and removed'],
  copy: [installation, 'archives, of npm too, and folders that are copied are installed; folders in place are not'],
  timeout: limits,
  ...bounded,
};

export const validatorModules: Readonly<Record<string, Proof>> = {
  wasm: refused,
  entrypoint: limits,
  timeout: limits,
  ...bounded,
};

export const sanitizers: Readonly<Record<string, Proof>> = {
  'flow.sanitizers': [checks, 'is chosen by a flow by its name'],
  'sanitizer.source': [configuration, 'another source of a sanitizer'],
  'sanitizer.wasm': chosen,
  'sanitizer.entrypoint': limits,
  'sanitizer.abi': limits,
  'sanitizer.apply_to': chosen,
  'sanitizer.fields': chosen,
  'sanitizer.timeout': limits,
  ...Object.fromEntries(Object.entries(bounded).map(([name, proof]) => [`sanitizer.${name}`, proof])),
};
