import { flowsOf } from '../debug/session/flow-map.ts';
import { useStudio } from '../shell/studio.ts';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import { endpointsOf, requestFor } from './endpoints.ts';
import type { Request } from './request.ts';

/** What the endpoint of sign-in reads that a request is for; nothing for other requests. */
export function BodyMembers({ method, url }: Pick<Request, 'method' | 'url'>) {
  const endpoint = useStore(flowsOf(useStudio()).outline, endpointsOf).find(
    (each) => each.members !== undefined && each.method === method && requestFor(each, {}).url === url,
  );
  const members = Object.entries(endpoint?.members ?? {});
  if (members.length === 0) return null;
  return (
    <section className="request-part" aria-label={`What ${endpoint?.name} reads`}>
      <h2 className="request-title">What {endpoint?.name} reads</h2>
      <ul className="body-members">
        {members.map(([name, { type, required, secret, doc }]) => (
          <li key={name}>
            <span className="mono">{name}</span>
            <span className="faint">
              {type}
              {required ? '' : ', optional'}
            </span>
            <span className="faint">
              {doc.replaceAll('`', '')}
              {secret && <Icon name="lock" label="a credential" />}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
