import { useEffect, useState, useSyncExternalStore } from 'react';
import type { Document } from '../project/document.ts';
import { serviceOf } from '../run/service.ts';
import { chordsOf, shownChord } from '../shell/keys.ts';
import { tabOf } from '../shell/layout.ts';
import { useStudio } from '../shell/studio.ts';
import { CommandButton, IconButton } from '../shell/window/icon-button.tsx';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import { AnswerView } from './answer-view.tsx';
import { BodyMembers } from './body-members.tsx';
import { isForOwnService, variablesIn } from './fill.ts';
import { SendAs } from './identities/send-as.tsx';
import { BodyField, HeaderTable, VariableFields } from './parts.tsx';
import { methods, type Request, readRequest } from './request.ts';
import type { Requests } from './requests.ts';

/** Makes the view of a request tab: what is sent, and what came back. */
export function requestView(requests: Requests) {
  return function RequestView({ path }: { readonly path: string }) {
    const { project, notices } = useStudio();
    const [document, setDocument] = useState<Document>();
    useEffect(() => {
      let isGone = false;
      project.open(path).then(
        (opened) => isGone || setDocument(opened),
        (error: unknown) => notices.failed(error),
      );
      return () => {
        isGone = true;
      };
    }, [path, project, notices]);
    return document === undefined ? <div className="grow" /> : <RequestPage document={document} requests={requests} />;
  };
}

interface PageProps {
  readonly document: Document;
  readonly requests: Requests;
}

function RequestPage({ document, requests }: PageProps) {
  const text = useSyncExternalStore(
    (listen) => {
      const heard = document.model.onDidChangeContent(listen);
      return () => heard.dispose();
    },
    () => document.text,
  );
  const refusal = useStore(requests.refusals, (all) => all.get(document.path));
  const read = readOrReason(text);
  return (
    <div className="request">
      <Conflict document={document} />
      <div className="request-sides">
        {typeof read === 'string' ? (
          <Unreadable path={document.path} reason={read} />
        ) : (
          <RequestForm document={document} requests={requests} request={read} />
        )}
        <AnswerView
          path={document.path}
          requests={requests}
          refusal={refusal?.text === text ? refusal.message : undefined}
        />
      </div>
    </div>
  );
}

function readOrReason(text: string): Request | string {
  try {
    return readRequest(text);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function Unreadable({ path, reason }: { readonly path: string; readonly reason: string }) {
  const { layout } = useStudio();
  return (
    <section className="request-form" aria-label="Request">
      <div className="note error" role="alert">
        <Icon name="error" />
        <span className="grow">{reason}</span>
        <button type="button" className="button" onClick={() => layout.open(tabOf('text', path))}>
          Open as text
        </button>
      </div>
    </section>
  );
}

/** The file changed on disk while it was edited here: the person chooses. */
function Conflict({ document }: { readonly document: Document }) {
  const { project, notices } = useStudio();
  const theirs = useStore(document.conflict);
  if (theirs === undefined) return null;
  const overwrite = () => project.overwrite(document.path).catch((error: unknown) => notices.failed(error));
  return (
    <div className="note warning request-conflict" role="alert">
      <Icon name="warning" />
      <span className="grow">{document.path} was changed on disk too.</span>
      <button type="button" className="button" onClick={() => document.take(theirs)}>
        Take what is on disk
      </button>
      <button type="button" className="button" onClick={() => void overwrite()}>
        Write mine over it
      </button>
    </div>
  );
}

function RequestForm({ document, requests, request }: PageProps & { readonly request: Request }) {
  const studio = useStudio();
  const { layout, commands, bridge, keyRules } = studio;
  const { path } = document;
  const command = commands.all.value.get('request.send');
  const chord = command && chordsOf(command, keyRules)[0];
  const isUnderWay = useStore(requests.sender.underWay, (all) => all.has(path));
  const isStopped = useStore(serviceOf(studio).state, ({ kind }) => kind === 'stopped');
  const isStarting = isStopped && isForOwnService(request);
  const change = (part: Partial<Request>) => requests.change(document, { ...request, ...part });
  const { method, url, headers, body, variables = {} } = request;
  const known: readonly string[] = methods;
  return (
    <section className="request-form" aria-label="Request">
      <form
        className="request-line"
        onSubmit={(event) => {
          event.preventDefault();
          commands.run('request.send');
        }}
      >
        <select
          className="input mono"
          aria-label="Method"
          value={method}
          onChange={({ target }) => change({ method: target.value })}
        >
          {(known.includes(method) ? known : [method, ...known]).map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
        <input
          className="input mono grow"
          aria-label="URL"
          spellCheck={false}
          value={url}
          onChange={({ target }) => change({ url: target.value })}
        />
        {isUnderWay ? (
          <button type="button" className="button" onClick={() => commands.run('request.cancel')}>
            <Icon name="stop" />
            Cancel
          </button>
        ) : (
          <button
            type="submit"
            className="button primary"
            title={chord === undefined ? 'Send' : `Send (${shownChord(chord, bridge.operatingSystem)})`}
          >
            <Icon name={isStarting ? 'play' : 'send'} />
            {isStarting ? 'Start and send' : 'Send'}
          </button>
        )}
        <CommandButton command="request.copyAsCurl" icon="copy" />
        <IconButton icon="code" label="Open as text" onClick={() => layout.open(tabOf('text', path))} />
      </form>
      <SendAs path={path} identities={requests.identities} />
      <VariableFields
        names={variablesIn(request)}
        values={variables}
        onChange={(changed) => change({ variables: changed })}
      />
      <HeaderTable headers={headers} onChange={(changed) => change({ headers: changed })} />
      <BodyField body={body} onChange={(changed) => change({ body: changed })} />
      <BodyMembers method={method} url={url} />
    </section>
  );
}
