import { isSignedIn, keep, Refused, send, signedIn } from '/requests.js';

const at = (id) => document.getElementById(id);
const provider = 'local';
// The sign-in that waits for a factor (`token`), or what waits for a step-up (`work`), and the factors that there are.
let waiting = null;
let me;

function say(text, bad = false) {
  at('says').textContent = text;
  at('says').classList.toggle('bad', bad);
}

const time = (text) => new Date(text).toLocaleString();

/** An item of a list: a name, a line about it, and a button. */
function listItem(name, about, button, act) {
  const item = document.createElement('li');
  const texts = document.createElement('div');
  for (const [text, look] of [
    [name, 'agent'],
    [about, 'soft'],
  ]) {
    const line = document.createElement('div');
    line.className = look;
    line.textContent = text;
    texts.append(line);
  }
  const end = document.createElement('button');
  end.type = 'button';
  end.textContent = button;
  end.onclick = () => run(act);
  item.append(texts, end);
  return item;
}

function sessionItem({ id, ip, user_agent: agent, last_active_at: active, current }) {
  const item = listItem(agent || 'Unknown program', `${ip}, last used ${time(active)}`, 'End', async () => {
    await signedIn('DELETE', `/auth/sessions/${id}`);
    if (current) keep(null);
    await show();
    say('The session has ended.');
  });
  if (!current) return item;
  const here = document.createElement('span');
  here.className = 'here';
  here.textContent = 'this one';
  item.firstChild.append(here);
  return item;
}

const passkeyItem = ({ id, name, created_at: made, last_used_at: used }) =>
  listItem(name, used ? `Last used ${time(used)}` : `Added ${time(made)}`, 'Remove', async () => {
    const password = at('add-passkey').elements.password.value;
    await signedIn('DELETE', `/auth/webauthn/credentials/${id}`, { ...(password && { password }) });
    at('add-passkey').reset();
    await show();
    say('The passkey is removed. Delete it in the browser or the system too.');
  });

const identityItem = ({ provider: of, email, linked_at: linked }) =>
  listItem(email || of, `${of}, linked ${time(linked)}`, 'End the link', async () => {
    await signedIn('DELETE', `/auth/unlink/${of}`);
    await show();
    say('The link has ended.');
  });

async function show() {
  const resetToken = new URLSearchParams(location.hash.slice(1)).get('token');
  const wanted = resetToken ? 'reset' : waiting ? 'factor' : isSignedIn() ? 'in' : 'out';
  for (const id of ['reset', 'factor', 'in', 'out']) at(id).hidden = id !== wanted;
  at('prove-by-passkey').hidden = !waiting?.methods.includes('webauthn');
  if (wanted !== 'in') return;
  const lists = ['/auth/sessions', '/auth/webauthn/credentials', '/auth/linked-accounts'];
  const [account, { sessions }, { credentials }, { linked_accounts: linked }] = await Promise.all(
    ['/auth/me', ...lists].map((path) => signedIn('GET', path)),
  );
  me = account;
  at('who').textContent = me.email;
  at('since').textContent = `${me.roles?.join(', ') || 'No roles'}, since ${time(me.created_at)}`;
  at('sessions').replaceChildren(...sessions.map(sessionItem));
  at('passkeys').replaceChildren(...credentials.map(passkeyItem));
  at('identities').replaceChildren(...linked.map(identityItem));
  const hasApp = me.mfa_methods?.includes('totp') ?? false;
  at('factors').textContent = hasApp
    ? 'An authenticator app is asked for at each sign-in with the password.'
    : 'An authenticator app makes codes that are asked for besides the password.';
  at('enrol').dataset.wanted = hasApp ? 'disable' : 'setup';
  at('enrol').querySelector('button').textContent = hasApp ? 'Remove the app' : 'Add an app';
}

async function run(work) {
  say('');
  const buttons = [...document.querySelectorAll('button')];
  for (const button of buttons) button.disabled = true;
  try {
    await work();
  } catch (error) {
    say(error.message, true);
    // What is shown may be of a session that has ended.
    await show().catch(() => undefined);
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

/** Runs work with the fields of a form when it is sent. `button` is the name of the one that was pressed. */
function onSent(form, work) {
  form.onsubmit = (event) => {
    event.preventDefault();
    const fields = Object.fromEntries(new FormData(form));
    const button = event.submitter?.name;
    run(() => work(fields, button));
  };
}

/** Keeps the tokens of a sign-in; one that waits for a factor is asked for it. */
async function enter(signIn) {
  try {
    keep(await signIn());
  } catch (error) {
    if (error.status !== 428) throw error;
    waiting = { token: error.answer.mfa_token, methods: error.answer.mfa_methods };
  }
  await show();
}

/** What an authenticator says to a challenge of the service. `wanted`: whose passkeys; nothing: those that there are. */
async function assertion(wanted) {
  const { publicKey } = await send('POST', '/auth/webauthn/login/begin', wanted);
  const options = PublicKeyCredential.parseRequestOptionsFromJSON(publicKey);
  return (await navigator.credentials.get({ publicKey: options })).toJSON();
}

const byPasskey = async (wanted) =>
  send('POST', '/auth/webauthn/login/finish', { credential: await assertion(wanted) });

/** Leads the browser to the provider. The worker answers when it comes back; see worker.js. */
async function leadTo(address) {
  await navigator.serviceWorker.register('/worker.js');
  await navigator.serviceWorker.ready;
  location.assign(address);
}

/** What the worker put into the page when the browser came back from a provider. */
async function takeReturned() {
  const returned = at('returned');
  const { status, answer } = JSON.parse(returned.textContent);
  returned.remove();
  history.replaceState(null, '', '/');
  const signIn = () => {
    if (status !== 200) throw new Refused(status, answer);
    return answer;
  };
  // A link is answered without tokens: the session that asked for it continues.
  if (answer.action && !answer.access_token) await show();
  else await enter(signIn);
  if (status === 200) say(answer.action === 'linked' ? 'The identity is linked.' : `Signed in by ${answer.provider}.`);
}

function showRecoveryCodes(codes) {
  if (codes === undefined) return;
  at('recovery').hidden = false;
  at('codes').replaceChildren(
    ...codes.map((each) => Object.assign(document.createElement('li'), { textContent: each })),
  );
}

onSent(at('enter'), async ({ email, password }, wanted = 'login') => {
  if (wanted === 'forgot') return say((await send('POST', '/auth/forgot-password', { email })).message);
  await enter(() => send('POST', `/auth/${wanted}`, { email, password }));
  at('enter').reset();
});

at('by-passkey').onclick = () => {
  const email = at('enter').elements.email.value;
  run(() => enter(() => byPasskey(email ? { email } : {})));
};

at('by-provider').onclick = () => run(() => leadTo(`/auth/sso/${provider}`));

/** Completes the sign-in, or proves the factor again and does what waited for that. */
async function prove(proof) {
  const { token, work } = waiting;
  const verify = { mfa_token: token, ...proof };
  const answer = await (work ? signedIn('POST', '/auth/mfa/verify', proof) : send('POST', '/auth/mfa/verify', verify));
  waiting = null;
  if (!work) keep(answer);
  await show();
  await work?.();
  const left = answer.recovery_codes_left;
  if (left !== undefined) say(`${left} recovery codes are left.`);
}

onSent(at('factor').querySelector('form'), async ({ code }) => {
  at('factor').querySelector('form').reset();
  await prove({ code });
});

at('prove-by-passkey').onclick = () =>
  run(async () =>
    prove({ credential: await assertion(waiting.work ? { email: me.email } : { mfa_token: waiting.token }) }),
  );

at('begin-again').onclick = () =>
  run(async () => {
    waiting = null;
    await show();
  });

onSent(at('add-passkey'), async ({ name, password }) => {
  const { publicKey } = await signedIn('POST', '/auth/webauthn/register/begin', { ...(password && { password }) });
  const options = PublicKeyCredential.parseCreationOptionsFromJSON(publicKey);
  const credential = (await navigator.credentials.create({ publicKey: options })).toJSON();
  const wanted = { credential, ...(name && { name }) };
  const { recovery_codes: codes } = await signedIn('POST', '/auth/webauthn/register/finish', wanted);
  at('add-passkey').reset();
  showRecoveryCodes(codes);
  await show();
});

at('link').onclick = () =>
  run(async () => leadTo((await signedIn('POST', `/auth/link/${provider}`)).authorization_url));

const exportAccount = async () => {
  at('exported').textContent = JSON.stringify(await signedIn('GET', '/export'), null, 2);
  at('exported').hidden = false;
};

at('export').onclick = () =>
  run(async () => {
    at('exported').hidden = true;
    try {
      await exportAccount();
    } catch (error) {
      if (error.code !== 'mfa_step_up_required') throw error;
      if (!me.mfa_methods) throw new Error('Add a passkey or an authenticator app first.');
      waiting = { methods: me.mfa_methods, work: exportAccount };
      await show();
    }
  });

onSent(at('enrol'), async ({ password }) => {
  const answer = await signedIn('POST', `/auth/mfa/${at('enrol').dataset.wanted}`, { password });
  at('enrol').reset();
  at('recovery').hidden = true;
  if (answer.secret === undefined) return show();
  at('picture').src = answer.qr_code;
  at('typed').textContent = answer.secret;
  at('enrol').hidden = true;
  at('confirm').hidden = false;
});

onSent(at('confirm'), async ({ code }) => {
  const { recovery_codes: codes } = await signedIn('POST', '/auth/mfa/verify', { code });
  at('confirm').reset();
  at('confirm').hidden = true;
  at('picture').removeAttribute('src');
  at('typed').textContent = '';
  at('enrol').hidden = false;
  showRecoveryCodes(codes);
  await show();
});

onSent(at('reset').querySelector('form'), async ({ password }) => {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  const { message } = await send('POST', '/auth/reset-password', { token, new_password: password });
  keep(null);
  history.replaceState(null, '', '/');
  await show();
  say(message);
});

onSent(at('change'), async ({ current, wanted }) => {
  const body = { current_password: current, new_password: wanted };
  const { message } = await signedIn('POST', '/auth/change-password', body);
  at('change').reset();
  await show();
  say(message);
});

at('logout').onclick = () =>
  run(async () => {
    await signedIn('POST', '/auth/logout');
    keep(null);
    for (const id of ['confirm', 'recovery', 'exported']) at(id).hidden = true;
    at('enrol').hidden = false;
    await show();
    say('Signed out.');
  });

run(() => (at('returned') ? takeReturned() : show()));
