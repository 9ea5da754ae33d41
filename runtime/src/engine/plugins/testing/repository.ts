import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { folderWith } from '../../../../../test/support/folder.ts';

/** The manifest of a plugin that provides nothing that needs a module. */
export function manifestText(name: string, version = '1.0.0', provides = ''): string {
  return `plugin {\n  name    = "${name}"\n  version = "${version}"\n}\nprovides {\n${provides}}\n`;
}

/** A repository with commits and tags, made by git. */
export class TestRepository {
  readonly folder = folderWith();

  constructor() {
    this.git('init', '--quiet', '--initial-branch=main');
  }

  /** Its address. */
  get address(): string {
    return `file://${this.folder}`;
  }

  /** Writes files, and commits them with whatever else is in the index; resolves to the commit. */
  commit(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.folder, path)), { recursive: true });
      writeFileSync(join(this.folder, path), text);
      this.git('add', '--', path);
    }
    this.git('commit', '--quiet', '--allow-empty', '--message=change');
    return this.git('rev-parse', 'HEAD');
  }

  /** A release of a plugin of this name. */
  release(name: string, version: string, files: Readonly<Record<string, string | Uint8Array>> = {}): string {
    const commit = this.commit({ 'plugin.hcl': manifestText(name, version), ...files });
    this.git('tag', `v${version}`);
    return commit;
  }

  git(...args: readonly string[]): string {
    const own = ['-c', 'user.name=maker', '-c', 'user.email=maker@example.test', '-c', 'commit.gpgsign=false'];
    const env = { PATH: process.env['PATH'], HOME: this.folder, GIT_CONFIG_NOSYSTEM: '1' };
    return execFileSync('git', [...own, ...args], {
      cwd: this.folder,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  }
}
