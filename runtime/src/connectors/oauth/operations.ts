import type { ConnectorValues, OperationParameters, TargetSpec, WrittenCall } from '@svc/protocol/schema';

/** What flows ask of a provider. */
export const oauthOperations = ['authorize', 'callback', 'userinfo', 'refresh'] as const;
export type OAuthOperation = (typeof oauthOperations)[number];

interface Parameters {
  /** Those that a step must give. */
  readonly needs: readonly string[];
  readonly takes: readonly string[];
  /** What begins or ends a sign-in: who knows it can end it in the place of its person. */
  readonly secrets?: readonly string[];
}

const parameters: Readonly<Record<OAuthOperation, Parameters>> = {
  authorize: { needs: [], takes: ['binding'], secrets: ['state', 'auth_url'] },
  callback: {
    needs: ['code', 'state'],
    takes: ['binding', 'iss', 'user', 'error', 'error_description'],
    secrets: ['code', 'state'],
  },
  userinfo: { needs: ['access_token'], takes: ['provider_id'] },
  refresh: { needs: ['refresh_token'], takes: ['provider_id'] },
};

const docs: Readonly<Record<string, string>> = {
  binding:
    'What the browser is known by, such as `auth.user_id` or the value of a cookie: `callback` must be given the same as `authorize`, so that no browser ends what another one began.',
  code: 'The code that the browser brought back.',
  state: 'The state that the browser brought back: one that `authorize` gave, once, within 10 minutes.',
  iss: 'The issuer that the browser brought back, where the provider names it.',
  user: 'What the device maker posts of the name of a person, with the first sign-in alone.',
  error: 'The error that the browser brought back instead of a code.',
  error_description: 'What the provider says about it.',
  access_token: 'The access token of who is asked about.',
  refresh_token: 'The refresh token.',
  provider_id: 'Who it must be: the `provider_id` that `callback` answered. Anyone when absent.',
};

/** The operation that a word means in any case; undefined when it means none. */
export function oauthOperation(word: string | undefined): OAuthOperation | undefined {
  const name = word?.trim().toLowerCase();
  return oauthOperations.find((each) => each === name);
}

/** Names of the parameters that an operation reads. */
export function readBy(operation: OAuthOperation): readonly string[] {
  const { needs, takes } = parameters[operation];
  return [...needs, ...takes];
}

/** Why a provider cannot be asked for profiles, or undefined. Pure. */
export type ProfileProblem = (config: ConnectorValues) => string | undefined;

/** How flows ask a provider. */
export function asking(profileProblem: ProfileProblem = () => undefined): TargetSpec {
  return {
    abilities: ['read', 'call'],
    offers: oauthOperations,
    needsOneOf: ['operation', 'target'],
    takesAnswers: true,
    keepsIn: 'storage',
    // A code and a refresh token may be good once.
    effect: (word) => (['callback', 'refresh'].includes(oauthOperation(word) ?? '') ? 'writes' : 'reads'),
    checkOperation: problemOf,
    checkTarget: problemOf,
    parameters: parametersOf,
    checkCall: (call, config) => problemOfCall(call, config, profileProblem),
  };
}

function problemOf(word: string): string | undefined {
  if (oauthOperation(word) !== undefined) return undefined;
  return `"${word}" is not an operation of an identity provider: they are ${oauthOperations.join(', ')}`;
}

/** A destination may be given them by its message. */
function parametersOf(word: string | undefined): OperationParameters | undefined {
  const operation = oauthOperation(word);
  if (operation === undefined) return undefined;
  const takes = readBy(operation);
  const { secrets } = parameters[operation];
  return { needs: [], takes, secrets, docs: Object.fromEntries(takes.map((name) => [name, docs[name]])) };
}

function problemOfCall(
  { place, operation: word, target, query, params, written }: WrittenCall,
  config: ConnectorValues,
  profileProblem: ProfileProblem,
): ReturnType<NonNullable<TargetSpec['checkCall']>> {
  if (query !== undefined) return { word: 'query', problem: 'an identity provider has no queries' };
  const operation = oauthOperation(word ?? target);
  if (operation === undefined) return undefined;
  const problem = operation === 'userinfo' ? profileProblem(config) : undefined;
  if (problem !== undefined) return { word: 'operation', problem };
  if (place !== 'step' && place !== 'enrich') return undefined;
  const given = params ?? (written['params'] === undefined ? [] : parameters[operation].needs);
  const missing = parameters[operation].needs.filter((name) => !given.includes(name));
  if (missing.length === 0) return undefined;
  return { word: 'params', problem: `${operation} needs ${missing.join(' and ')}: write them into params` };
}
