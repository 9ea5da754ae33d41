import { typed } from './typed.ts';

interface Place {
  readonly file: string;
  readonly range: { readonly start: { readonly line: number } };
}

interface Problem extends Place {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly help: string;
  readonly related: readonly Place[];
}

/** What `svc validate` says of contracts. */
export async function compared(
  directory: string,
  configuration: string,
  contracts: readonly string[],
  environment: Readonly<Record<string, string>> = {},
) {
  const words = contracts.flatMap((file) => ['--contract', file]);
  const typedWords = ['validate', configuration, '--format', 'json', ...words];
  const { status, out, error } = await typed(typedWords, directory, environment);
  const { problems } = JSON.parse(out) as { readonly problems: readonly Problem[] };
  return { status, error, problems: problems.filter(({ code }) => code.startsWith('contract-')) };
}

/** Each problem as `severity file:line message`, with the place in the contract. */
export function shortly(problems: readonly Problem[]): readonly string[] {
  const at = ({ file, range }: Place) => `${file}:${range.start.line}`;
  return problems.map(({ severity, message, related: [there], ...own }) =>
    [severity, at(own), message, ...(there === undefined ? [] : ['<-', at(there)])].join(' '),
  );
}
