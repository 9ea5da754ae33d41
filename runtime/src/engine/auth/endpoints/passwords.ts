import { normalisedEmail } from '../accounts/email.ts';
import { changePassword } from '../passwords/change.ts';
import { forgotPassword, resetPassword } from '../passwords/reset.ts';
import type { Endpoint } from './endpoint.ts';

const changeEndpoint: Endpoint = {
  name: 'password_change',
  bucket: 'change_password',
  signedIn: true,
  evenExpired: true,
  async answer({ caller, client, signal, body }, system) {
    const members = await body();
    const [current, wanted] = [members.text('current_password'), members.text('new_password')];
    await changePassword({ ...caller(), current, wanted, client, signal }, system);
    return { body: { message: 'The password is changed; all other sessions have ended.' } };
  },
};

const forgotEndpoint: Endpoint = {
  name: 'password_forgot',
  bucket: 'password_forgot',
  signedIn: false,
  async answer({ client, body }, system) {
    const email = normalisedEmail((await body()).text('email'));
    if (email !== undefined) await forgotPassword(email, client, system);
    return { body: { message: 'If there is an account with this address, it is sent a link.' } };
  },
};

const resetEndpoint: Endpoint = {
  name: 'password_reset',
  bucket: 'password_reset',
  signedIn: false,
  async answer({ client, signal, body }, system) {
    const members = await body();
    await resetPassword(members.text('token'), members.text('new_password'), client, system, signal);
    return { body: { message: 'The password is set; sign in with it.' } };
  },
};

export const passwordEndpoints: readonly Endpoint[] = [changeEndpoint, forgotEndpoint, resetEndpoint];
