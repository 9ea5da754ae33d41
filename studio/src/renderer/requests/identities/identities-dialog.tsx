import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import type { Identity } from '../../../shared/identity.ts';
import { useStudio } from '../../shell/studio.ts';
import { IconButton } from '../../shell/window/icon-button.tsx';
import { useStore } from '../../state/use-store.ts';
import { Icon } from '../../theme/icon.tsx';
import type { Identities } from './identities.ts';

/** Makes the dialog in which identities are kept and forgotten. */
export function identitiesDialog(identities: Identities) {
  return function IdentitiesDialog() {
    return useStore(identities.isManaging) && <DialogBox identities={identities} />;
  };
}

function DialogBox({ identities }: { readonly identities: Identities }) {
  const box = useRef<HTMLDialogElement>(null);
  const { identities: all, place } = useStore(identities.kept);
  useEffect(() => {
    box.current?.showModal();
    box.current?.querySelector('input')?.focus();
  }, []);
  const close = () => identities.isManaging.set(false);
  return (
    <dialog ref={box} className="dialog popover" aria-label="Identities" onClose={close}>
      <h2>Identities</h2>
      <p>Requests can be sent as one of them. They belong to this project and are never written into it.</p>
      {all.length > 0 && (
        <ul className="identity-list" aria-label="Kept identities">
          {all.map((identity) => (
            <IdentityRow key={identity.id} identity={identity} identities={identities} />
          ))}
        </ul>
      )}
      <NewIdentity identities={identities} />
      <p className="note">
        <Icon name="lock" />
        {place === 'keychain'
          ? 'Passwords and tokens are kept sealed by the keychain of this system.'
          : 'The studio has no keychain here: passwords and tokens are kept in its memory, and are gone when it ends.'}
      </p>
      <div className="question-buttons">
        <button type="button" className="button" onClick={close}>
          Close
        </button>
      </div>
    </dialog>
  );
}

function IdentityRow({ identity, identities }: { readonly identity: Identity; readonly identities: Identities }) {
  const { notices } = useStudio();
  const forget = () => void identities.remove(identity.id).catch((error: unknown) => notices.failed(error));
  return (
    <li>
      <Icon name="lock" className="faint" />
      <span className="grow ellipsis">{identity.name}</span>
      <span className="faint">{identity.kind === 'token' ? 'token' : 'password'}</span>
      <IconButton icon="trash" label={`Forget ${identity.name}`} onClick={forget} />
    </li>
  );
}

type Kind = Identity['kind'];
const kinds: readonly (readonly [Kind, string])[] = [
  ['password', 'Address and password'],
  ['token', 'Token'],
];

function NewIdentity({ identities }: { readonly identities: Identities }) {
  const id = useId();
  const [kind, setKind] = useState<Kind>('password');
  const [refusal, setRefusal] = useState<string>();
  const add = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const data = new FormData(form);
    const secret = String(data.get('secret'));
    identities.add(String(data.get('name')), kind === 'password' ? { password: secret } : { token: secret }).then(
      () => {
        form.reset();
        setRefusal(undefined);
      },
      (error: unknown) => setRefusal(error instanceof Error ? error.message : String(error)),
    );
  };
  return (
    <form className="dialog-form" aria-label="New identity" onSubmit={add}>
      <label htmlFor={`${id}-kind`}>Signs in with</label>
      <span className="select">
        <select
          id={`${id}-kind`}
          className="input"
          value={kind}
          onChange={({ target }) => setKind(target.value as Kind)}
        >
          {kinds.map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
        <Icon name="chevron-down" size="small" />
      </span>
      <label htmlFor={`${id}-name`}>{kind === 'password' ? 'Address' : 'Name'}</label>
      <input
        id={`${id}-name`}
        name="name"
        className="input mono"
        required
        autoComplete="off"
        spellCheck={false}
        placeholder={kind === 'password' ? 'ana@example.test' : 'administrator'}
      />
      <label htmlFor={`${id}-secret`}>{kind === 'password' ? 'Password' : 'Token'}</label>
      <input
        id={`${id}-secret`}
        name="secret"
        type="password"
        className={refusal === undefined ? 'input mono' : 'input mono bad'}
        required
        autoComplete="off"
        aria-describedby={`${id}-refusal`}
      />
      <p id={`${id}-refusal`} role="alert" className="error ink">
        {refusal}
      </p>
      <div className="question-buttons">
        <button type="submit" className="button primary">
          Keep it
        </button>
      </div>
    </form>
  );
}
