import { globalOptions } from './arguments.ts';
import type { Command, OptionSpec } from './command.ts';

/** Help of the whole program. */
export function programHelp(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return `svc runs a microservice from a directory of HCL files.

Usage: svc COMMAND [OPTIONS]

Commands:
${commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join('\n')}

Options of every command:
${optionLines(globalOptions)}

svc COMMAND --help tells more about one command; svc docs WORD explains a block or an attribute.
`;
}

/** Help of each command by its name. */
export function commandHelps(commands: readonly Command[]): ReadonlyMap<string, string> {
  return new Map(commands.map((command) => [command.name, commandHelp(command)]));
}

/** Help of one command. */
export function commandHelp(command: Command): string {
  const { name, summary, positionals, options, details } = command;
  const own = Object.keys(options).length > 0 ? `Options:\n${optionLines(options)}\n\n` : '';
  return `${summary}

Usage: svc ${name}${positionals === undefined ? '' : ` ${positionals}`} [OPTIONS]

${own}Options of every command:
${optionLines(globalOptions)}
${details === undefined ? '' : `\n${details.trim()}\n`}`;
}

function optionLines(options: Readonly<Record<string, OptionSpec>>): string {
  const rows = Object.entries(options).map(([name, spec]) => {
    const short = spec.short === undefined ? '    ' : `-${spec.short}, `;
    const value = spec.placeholder === undefined ? '' : ` ${spec.placeholder}`;
    const choices = spec.choices === undefined ? '' : ` (${spec.choices.join(', ')})`;
    return [`  ${short}--${name}${value}`, `${spec.doc}${choices}`] as const;
  });
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`).join('\n');
}
