import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { folderWith } from './folder.ts';

/** A file system of its own with little room. */
export interface SmallDisk extends Disposable {
  readonly path: string;
  readOnly(isReadOnly: boolean): void;
}

/** Mounts one; undefined where that is not allowed. */
export function smallDisk(size: string): SmallDisk | undefined {
  const path = folderWith();
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'svc-test', path], { stdio: 'ignore' });
  if (status !== 0) {
    rmSync(path, { recursive: true });
    return undefined;
  }
  return {
    path,
    readOnly: (isReadOnly) => void execFileSync('mount', ['-o', `remount,${isReadOnly ? 'ro' : 'rw'}`, path]),
    [Symbol.dispose]: () => {
      // What is open still, such as a database that is closed later, does not keep the name.
      spawnSync('umount', ['-l', path], { stdio: 'ignore' });
      rmSync(path, { recursive: true, force: true });
    },
  };
}
