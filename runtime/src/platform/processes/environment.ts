import { isInherited } from './inherited.ts';

type Variables = Readonly<Record<string, string>>;

/** What the block of a connector says of the variables of its programs. */
export interface EnvironmentConfig {
  readonly env?: { readonly fields: readonly { readonly name: string; readonly value: string }[] } | undefined;
  /** Further names of variables of the service. */
  readonly inherit?: readonly string[] | undefined;
}

/** The variables of a program: few of the service, those that are named, and those of the block, which win. */
export function environmentOf(
  { env, inherit = [] }: EnvironmentConfig,
  own: Readonly<Record<string, string | undefined>> = process.env,
  isWindows: boolean = process.platform === 'win32',
): Variables {
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(own))
    if (value !== undefined && (isInherited(name, isWindows) || inherit.includes(name))) variables[name] = value;
  for (const { name, value } of env?.fields ?? []) variables[name] = value;
  return variables;
}
