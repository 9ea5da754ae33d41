import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';

/**
 * Keeps the process groups that it is notified of, and kills them when its input ends, which the system sees to however the
 * service ends: `kill -9` too.
 */
const script = `alive=' '
while read -r change group; do
  case $change in
    +) alive="$alive$group " ;;
    -) alive="\${alive%%" $group "*} \${alive#*" $group "}" ;;
  esac
done
for group in $alive; do kill -s KILL -- "-$group"; done`;

type Guard = ChildProcessByStdio<Writable, null, null>;

/** Process groups of this process that are to end with it. A small process watches them, which starts with the first. */
class Orphans {
  readonly #groups = new Set<number>();
  #guard: Guard | undefined;

  /** Called before a group begins: until it is watched, a service that is killed leaves it behind. */
  prepare(): void {
    if (this.#guard === undefined) this.#start();
  }

  /** The returned function is called when nothing of the group is left. */
  watch(group: number): () => void {
    this.#groups.add(group);
    if (this.#guard === undefined) this.#start();
    else this.#tell('+', group);
    return () => {
      if (this.#groups.delete(group)) this.#tell('-', group);
    };
  }

  #start(): void {
    const guard: Guard = spawn('/bin/sh', ['-c', script], {
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: '/',
      detached: true,
    });
    const ended = () => {
      if (this.#guard === guard) this.#guard = undefined;
    };
    // Where there is no shell, programs outlive a service that is killed.
    guard.on('error', ended).on('exit', ended);
    guard.stdin.on('error', () => undefined);
    guard.unref();
    (guard.stdin as Writable & { unref?(): void }).unref?.();
    this.#guard = guard;
    for (const group of this.#groups) this.#tell('+', group);
  }

  #tell(change: '+' | '-', group: number): void {
    this.#guard?.stdin.write(`${change} ${group}\n`);
  }
}

/** Those of this process. */
export const orphans = new Orphans();
