import { useId } from 'react';
import type { Identity } from '../../../shared/identity.ts';
import { useStore } from '../../state/use-store.ts';
import { Icon } from '../../theme/icon.tsx';
import { JsonTree } from '../../values/json-tree.tsx';
import { TokenLife } from '../../values/token-life.tsx';
import type { Identities } from './identities.ts';

interface SendAsProps {
  /** The file of the request. */
  readonly path: string;
  readonly identities: Identities;
}

/** Whom a request is sent as, and what the token of that identity says. */
export function SendAs({ path, identities }: SendAsProps) {
  const id = useId();
  const kept = useStore(identities.kept);
  const chosen = useStore(identities.chosen, (all) => all.get(path));
  const identity = kept.identities.find((each) => each.id === chosen);
  return (
    <section className="request-part" aria-label="Identity of the request">
      <div className="send-as">
        <label className="request-title" htmlFor={id}>
          Send as
        </label>
        <span className="select">
          <select
            id={id}
            className="input"
            value={identity?.id ?? ''}
            onChange={({ target }) => identities.choose(path, target.value === '' ? undefined : target.value)}
          >
            <option value="">no one</option>
            {kept.identities.map((each) => (
              <option key={each.id} value={each.id}>
                {each.name}
              </option>
            ))}
          </select>
          <Icon name="chevron-down" size="small" />
        </span>
        <button type="button" className="button" onClick={() => identities.isManaging.set(true)}>
          <Icon name="lock" />
          Identities
        </button>
      </div>
      {identity !== undefined && <TokenOf identity={identity} />}
    </section>
  );
}

function TokenOf({ identity: { name, kind, hasToken, token } }: { readonly identity: Identity }) {
  if (token === undefined)
    return (
      <p className="request-problem faint">
        {hasToken
          ? 'What its token says cannot be read.'
          : kind === 'password'
            ? 'It signs in when the request is sent.'
            : ''}
      </p>
    );
  return (
    <details className="identity-token">
      <summary>
        <TokenLife token={token} />
        <span className="faint">decoded, not verified</span>
      </summary>
      <JsonTree value={token} label={`Token of ${name}`} />
    </details>
  );
}
