import { quoted } from '../quoting.ts';

/**
 * What the other side writes before the output of a program: whatever is before it comes from the login. It waits then for
 * a line with variables (`variablesLine`), so that no program has begun whose mark was lost with the connection.
 */
export const mark = Buffer.from('\0svc-begun\n');

export interface RemoteCommand {
  /** The program and its arguments, as words. */
  readonly words: readonly string[];
  readonly folder: string | undefined;
  /** Seconds between SIGTERM and SIGKILL. */
  readonly killAfter: number;
}

/**
 * Ends the process group of the shell, which its program takes over, when the process of the server that holds the
 * connection is gone. Without a terminal, a server tells a program nothing. When the program has ended by itself, the rest
 * of its group is killed. The watcher keeps no pipe open, so that it holds no connection.
 */
const watcher = (killAfter: number) =>
  [
    'server=$PPID',
    `( trap "" HUP TERM; while kill -0 "$server" && kill -0 $$; do sleep 1; done; if kill -0 $$; then kill -s TERM -- -$$; sleep ${killAfter}; fi; kill -s KILL -- -$$ ) </dev/null >/dev/null 2>&1 &`,
  ].join('\n');

/** What is sent to the login shell of the other side, which may be of any kind: it starts a POSIX shell with one word. */
export function remoteScript({ words, folder, killAfter }: RemoteCommand): string {
  const lines = [
    watcher(killAfter),
    "printf '\\000svc-begun\\n'",
    // One byte after another, so that the rest is left to the program.
    'IFS= read -r variables && eval "$variables" || exit 126',
    'unset variables',
    ...(folder === undefined ? [] : [`cd ${quoted(folder)} || exit 126`]),
    `exec ${words.map(quoted).join(' ')}`,
  ];
  return `exec sh -c ${quoted(lines.join('\n'))}`;
}

/** Asks whether each command can be run there. It prints those that cannot. */
export function lookupScript(commands: readonly string[]): string {
  const each = commands.map((command) => `command -v ${quoted(command)} >/dev/null || echo ${quoted(command)}`);
  return `exec sh -c ${quoted(["printf '\\000svc-begun\\n'", ...each].join('\n'))}`;
}

/** The line that carries variables to the other side, and lets the program begin: it is in no list of processes there. */
export function variablesLine(fields: readonly { readonly name: string; readonly value: string }[]): Buffer {
  const variables = fields.map(({ name, value }) => `${name}=${quoted(value)}`);
  return Buffer.from(variables.length === 0 ? '\n' : `export ${variables.join(' ')}\n`);
}
