import { join } from 'node:path';
import type { Credentials } from './credentials.ts';
import { refused, type Surroundings, textOf } from './surroundings.ts';
import { assumeRole } from './web-identity.ts';

type Profile = Readonly<Record<string, string>>;

/** Settings of a profile that need another program or a sign-in in a browser. */
const unsupported = ['credential_process', 'sso_session', 'sso_start_url', 'source_profile', 'credential_source'];

/** Those of a profile in `~/.aws/credentials` and `~/.aws/config`; undefined where there is no such profile, and none is named. */
export async function sharedCredentials(around: Surroundings): Promise<Credentials | undefined> {
  const { variables } = around;
  const name = profileName(variables);
  const profile = await profileOf(around, name);
  if (profile === undefined) {
    if (variables['AWS_PROFILE']) throw refused(`there is no profile "${name}" (AWS_PROFILE)`);
    return undefined;
  }
  const { aws_access_key_id: accessKey, aws_secret_access_key: secretKey, aws_session_token: token } = profile;
  if (accessKey && secretKey) return { accessKey, secretKey, sessionToken: token || undefined, expires: undefined };
  const { web_identity_token_file: file, role_arn: role } = profile;
  if (file && role) return assumeRole(around, { file, role, session: profile['role_session_name'] });
  const used = unsupported.find((setting) => profile[setting] !== undefined);
  if (used !== undefined)
    throw refused(`the profile "${name}" uses ${used}, which is not read: write keys, or a web identity`);
  return undefined;
}

/** The region that the profile says. */
export async function sharedRegion(around: Omit<Surroundings, 'region'>): Promise<string | undefined> {
  return (await profileOf(around, profileName(around.variables)))?.['region'];
}

function profileName(variables: Surroundings['variables']): string {
  return variables['AWS_PROFILE'] || variables['AWS_DEFAULT_PROFILE'] || 'default';
}

async function profileOf(
  { variables, home }: Pick<Surroundings, 'variables' | 'home'>,
  name: string,
): Promise<Profile | undefined> {
  const keys = await textOf(variables['AWS_SHARED_CREDENTIALS_FILE'] || join(home, '.aws', 'credentials'));
  const settings = await textOf(variables['AWS_CONFIG_FILE'] || join(home, '.aws', 'config'));
  const own = sectionOf(keys, name);
  const configured = sectionOf(settings, name === 'default' ? name : `profile ${name}`);
  return own === undefined && configured === undefined ? undefined : { ...configured, ...own };
}

/** The settings of a section of an INI file. */
function sectionOf(text: string | undefined, name: string): Profile | undefined {
  let section: Record<string, string> | undefined;
  let isIn = false;
  for (const line of (text ?? '').split(/\r?\n/)) {
    const [, title] = /^\s*\[([^\]]+)\]/.exec(line) ?? [];
    if (title !== undefined) {
      isIn = title.trim().replace(/\s+/g, ' ') === name;
      if (isIn) section ??= Object.create(null) as Record<string, string>;
      continue;
    }
    const at = line.indexOf('=');
    // Indented lines belong to a setting with several values, of which none is read.
    if (!isIn || at < 0 || /^\s|^[#;]/.test(line)) continue;
    (section as Record<string, string>)[line.slice(0, at).trim().toLowerCase()] = line.slice(at + 1).trim();
  }
  return section;
}
