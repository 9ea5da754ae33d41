import { globalOptions } from '../arguments.ts';
import { type Run, UsageError } from '../command.ts';
import { commands } from '../commands.ts';

const shells: Readonly<Record<string, () => string>> = { bash, zsh, fish };

export const run: Run = async ({ positionals: [shell], streams }) => {
  const script = shell === undefined ? undefined : shells[shell];
  if (!script) throw new UsageError('name a shell: bash, zsh or fish');
  streams.out.write(script());
  return 0;
};

function optionsOf(name: string): string[] {
  const command = commands.find((candidate) => candidate.name === name);
  return Object.keys({ ...globalOptions, ...command?.options }).map((option) => `--${option}`);
}

function bash(): string {
  const cases = commands.map(({ name }) => `    ${name}) words="${optionsOf(name).join(' ')}" ;;`).join('\n');
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

function zsh(): string {
  return `#compdef svc
autoload -U +X bashcompinit && bashcompinit
${bash()}`;
}

function fish(): string {
  const lines = commands.flatMap(({ name, summary, options }) => [
    `complete -c svc -n __fish_use_subcommand -a ${name} -d '${summary.replaceAll("'", '')}'`,
    ...Object.entries({ ...globalOptions, ...options }).map(
      ([option, spec]) =>
        `complete -c svc -n '__fish_seen_subcommand_from ${name}' -l ${option} -d '${spec.doc.replaceAll("'", '')}'`,
    ),
  ]);
  return `${lines.join('\n')}\n`;
}
