import type { ModuleImport } from './shape.ts';

/** The module name of WASI preview 1. */
export const wasi = 'wasi_snapshot_preview1';

/** Functions of WASI preview 1 that work: clocks, random bytes, output; and the ends of a program. */
export const wasiWorking = [
  'args_get',
  'args_sizes_get',
  'environ_get',
  'environ_sizes_get',
  'clock_res_get',
  'clock_time_get',
  'fd_write',
  'fd_fdstat_get',
  'poll_oneoff',
  'proc_exit',
  'random_get',
  'sched_yield',
] as const;

/** Those of files, which answer that there is no such file (EBADF). */
export const wasiFiles = [
  'fd_advise',
  'fd_allocate',
  'fd_close',
  'fd_datasync',
  'fd_fdstat_set_flags',
  'fd_fdstat_set_rights',
  'fd_filestat_get',
  'fd_filestat_set_size',
  'fd_filestat_set_times',
  'fd_pread',
  'fd_prestat_dir_name',
  'fd_prestat_get',
  'fd_pwrite',
  'fd_read',
  'fd_readdir',
  'fd_renumber',
  'fd_seek',
  'fd_sync',
  'fd_tell',
  'path_create_directory',
  'path_filestat_get',
  'path_filestat_set_times',
  'path_link',
  'path_open',
  'path_readlink',
  'path_remove_directory',
  'path_rename',
  'path_symlink',
  'path_unlink_file',
] as const;

const given: ReadonlySet<string> = new Set([
  ...[...wasiWorking, ...wasiFiles].map((name) => `${wasi}.${name}`),
  'env.abort',
]);

/** Why a plugin cannot have what it imports; undefined when it can. */
export function importProblem({ module, name, kind }: ModuleImport): string | undefined {
  const full = `${module}.${name}`;
  if (kind === 'function' && given.has(full)) return undefined;
  return `it imports the ${kind} ${full}, which plugins are not given: there are functions of ${wasi} without network, and env.abort`;
}
