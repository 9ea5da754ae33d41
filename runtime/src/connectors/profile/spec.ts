import { block, cel, list, text } from '@svc/protocol/schema';
import { everyConnector } from '../core/spec.ts';

/** The body of a connector that chooses between `profile` blocks. */
export const profiled = block({
  doc: 'A connector that is one of several: each `profile` block is a connector of its own, and each use goes to the selected one. It needs no `type` of its own; `profiled` may be written. A block that names it may write the words of any profile: one that the default profile does not take is refused, one that another profile does not take is a warning.',
  attributes: {
    select: cel(
      'Names the profile to use; evaluated for every use. Nothing, or a name that no profile has, means `default`.',
      {
        reads: ['input'],
        gives: 'string',
        decides: true,
        example: `"env('REGION', 'local')"`,
      },
    ),
    default: text('Profile that is used when `select` names no profile.'),
    fallback: list(
      'Profiles that are tried in turn when the selected one answers with 5xx, cannot be reached or does not answer in time. A write may then happen twice.',
      text('Name of a profile.'),
    ),
    ...everyConnector.attributes,
  },
  rules: [{ rule: 'atLeastOneOf', names: ['select', 'default'] }],
  example: `connector "rates" {
  select   = "env('RATES', 'primary')"
  default  = "primary"
  fallback = ["secondary"]

  profile "primary" {
    type     = "http"
    base_url = "https://rates.example.org"
  }

  profile "secondary" {
    type     = "http"
    base_url = "https://rates.example.net"
  }
}`,
});

/** What every `profile "name"` block may say beside what its connector type takes. */
export const profilePart = block({
  doc: 'One of the connectors to choose from. It takes everything that its own `type` and `driver` take.',
  label: { name: 'name', doc: 'Name that `select`, `default` and `fallback` use.' },
  repeated: true,
  blocks: {
    transform: block({
      doc: 'Shapes each row that is read and the object that a call answers; the result has these fields only.',
      fields: cel('A field of the row.', { reads: ['input'] }),
    }),
  },
});
