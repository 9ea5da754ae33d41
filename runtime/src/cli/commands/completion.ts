import { globalOptions } from '../arguments.ts';
import { type Command, type Run, UsageError } from '../command.ts';

const shells: Readonly<Record<string, (commands: readonly Command[]) => string>> = { bash, zsh, fish };

/** The command that prints the script in which a shell finds these commands. */
export function scriptsOf(commands: readonly Command[]): Run {
  return async ({ positionals: [shell], streams }) => {
    const script = shell === undefined ? undefined : shells[shell];
    if (!script) throw new UsageError('name a shell: bash, zsh or fish');
    streams.out.write(script(commands));
    return 0;
  };
}

function optionsOf({ options }: Command): string[] {
  return Object.keys({ ...globalOptions, ...options }).map((option) => `--${option}`);
}

function bash(commands: readonly Command[]): string {
  const cases = commands.map((each) => `    ${each.name}) words="${optionsOf(each).join(' ')}" ;;`).join('\n');
  return `_svc() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${commands.map(({ name }) => name).join(' ')}"
  else case "\${COMP_WORDS[1]}" in
${cases}
  esac; fi
  if [ "\${word:0:1}" = "-" ] || [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W "$words" -- "$word"))
  else COMPREPLY=($(compgen -f -- "$word")); fi
}
complete -F _svc svc
`;
}

function zsh(commands: readonly Command[]): string {
  return `#compdef svc
autoload -U +X bashcompinit && bashcompinit
${bash(commands)}`;
}

function fish(commands: readonly Command[]): string {
  const lines = commands.flatMap(({ name, summary, options }) => [
    `complete -c svc -n __fish_use_subcommand -a ${name} -d '${summary.replaceAll("'", '')}'`,
    ...Object.entries({ ...globalOptions, ...options }).map(
      ([option, spec]) =>
        `complete -c svc -n '__fish_seen_subcommand_from ${name}' -l ${option} -d '${spec.doc.replaceAll("'", '')}'`,
    ),
  ]);
  return `${lines.join('\n')}\n`;
}
