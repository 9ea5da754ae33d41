import { flowsOf } from '../debug/session/flow-map.ts';
import { tabOf } from '../shell/layout.ts';
import { useStudio } from '../shell/studio.ts';
import { EmptyState } from '../shell/window/empty-state.tsx';
import { CommandButton } from '../shell/window/icon-button.tsx';
import { Section } from '../shell/window/section.tsx';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import { type Endpoint, endpointsOf } from './endpoints.ts';
import type { Requests } from './requests.ts';

/** Makes the side view: the project's requests, and the endpoints that one can be made for. */
export function requestsSide(requests: Requests) {
  return function RequestsSide() {
    const { project } = useStudio();
    const info = useStore(project.info);
    if (info === undefined)
      return (
        <Section title="Requests" fill>
          <EmptyState acts={[['project.open', 'Open folder']]} line="svc studio ./orders">
            Open a folder to send requests to its service.
          </EmptyState>
        </Section>
      );
    return (
      <>
        <RequestFiles />
        <Endpoints requests={requests} />
        <SignIn requests={requests} />
      </>
    );
  };
}

function RequestFiles() {
  const { project, layout, settings } = useStudio();
  useStore(settings.state);
  const paths = useStore(project.entries, (entries) => entries.map(({ path }) => path).filter(isRequestFile));
  const dirty = useStore(project.dirty);
  const active = useStore(layout.editors, () => layout.active);
  return (
    <Section title="Requests" sub={String(paths.length)} tools={<CommandButton command="request.new" icon="plus" />}>
      {paths.map((path) => (
        <button
          key={path}
          type="button"
          className={active === tabOf('request', path) ? 'row selected' : 'row'}
          title={path}
          onClick={() => layout.open(tabOf('request', path))}
        >
          <Icon name="send" className="faint" />
          <span className="name">{titleOf(path)}</span>
          {dirty.has(path) && <span className="meta">not saved</span>}
        </button>
      ))}
      {paths.length === 0 && (
        <EmptyState acts={[['request.new', 'New request']]} line="curl http://localhost:3000/">
          No requests yet. Choose an endpoint below, or make an empty one; each is a file in requests.
        </EmptyState>
      )}
    </Section>
  );
}

function Endpoints({ requests }: { readonly requests: Requests }) {
  const endpoints = useStore(flowsOf(useStudio()).outline, endpointsOf).filter(({ flow }) => flow !== undefined);
  return (
    <Section title="Endpoints" sub={String(endpoints.length)} fill>
      <div className="request-endpoints">
        <EndpointRows endpoints={endpoints} requests={requests} />
        {endpoints.length === 0 && (
          <EmptyState acts={[['canvas.addFlow', 'Add flow']]} line="svc docs from">
            No flow of this project answers requests. One does whose <code>from</code> names a connector of type rest.
          </EmptyState>
        )}
      </div>
    </Section>
  );
}

/** The endpoints of the sign-in system, where the project has one. */
function SignIn({ requests }: { readonly requests: Requests }) {
  const endpoints = useStore(flowsOf(useStudio()).outline, endpointsOf).filter(({ flow }) => flow === undefined);
  if (endpoints.length === 0) return null;
  return (
    <Section title="Sign-in" sub={String(endpoints.length)} fill>
      <div className="request-endpoints">
        <EndpointRows endpoints={endpoints} requests={requests} />
      </div>
    </Section>
  );
}

interface EndpointRowsProps {
  readonly endpoints: readonly Endpoint[];
  readonly requests: Requests;
}

function EndpointRows({ endpoints, requests }: EndpointRowsProps) {
  const { notices } = useStudio();
  const open = (endpoint: Endpoint) => void requests.open(endpoint).catch((error: unknown) => notices.failed(error));
  return endpoints.map((endpoint) => (
    <button
      key={`${endpoint.name} ${endpoint.method} ${endpoint.path}`}
      type="button"
      className="row"
      title={`A request for ${endpoint.method} ${endpoint.path}`}
      onClick={() => open(endpoint)}
    >
      <span className="verb">{endpoint.method}</span>
      <span className="name mono">{endpoint.path}</span>
      <span className="meta">{endpoint.name}</span>
    </button>
  ));
}

export function isRequestFile(path: string): boolean {
  return /^requests\/.*\.json$/.test(path);
}

export function titleOf(path: string): string {
  return path.replace(/^requests\//, '').replace(/\.json$/, '');
}
