import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { withinTime } from '../../../platform/net/within-time.ts';
import { type Address, addressIn, mostAddresses } from '../addresses.ts';
import type { Limits } from '../channel.ts';
import { largest } from '../message.ts';
import { Attachments } from './attachments.ts';
import { checkLine, headersOf } from './headers.ts';
import { addresseesOf, type Letter } from './letter.ts';
import type { LetterMessage } from './message.ts';
import type { LetterConfig } from './spec.ts';
import { LetterTemplates } from './templates.ts';

/** What it needs of the service. */
export type WriterServices = Pick<ConnectorServices, 'clock' | 'directory' | 'lookup'>;

type Fields = Readonly<Record<string, unknown>>;

/** Makes letters of messages: fills in what the connector says, prints templates and reads files. It sends nothing. */
export class LetterWriter {
  readonly #config: LetterConfig;
  readonly #services: WriterServices;
  readonly #templates: LetterTemplates;
  readonly #attachments: Attachments;

  constructor(config: LetterConfig, services: WriterServices) {
    this.#config = config;
    this.#services = services;
    this.#templates = new LetterTemplates({ template: config.template, directory: services.directory });
    this.#attachments = new Attachments({ sources: config.attachments_from, most: config.max_attachments }, services);
  }

  /** Reads the template that the connector names. */
  async open(): Promise<void> {
    await this.#templates.load();
  }

  /** The letter of a message, and what is left of its limits. Rejects with a Failure before anything was sent. */
  async within(message: LetterMessage, limits: Limits, given: Fields): Promise<readonly [Letter, Limits]> {
    const { clock } = this.#services;
    const began = clock.elapsed();
    limits.signal?.throwIfAborted();
    const letter = await withinTime(limits.timeout, (late) =>
      this.write(message, given, limits.signal === undefined ? late : AbortSignal.any([limits.signal, late])),
    );
    return [letter, { ...limits, timeout: Math.max(1, limits.timeout - (clock.elapsed() - began)) }];
  }

  /** `given` is the whole message, which templates print where it has no data for them. */
  async write(message: LetterMessage, given: Fields, signal: AbortSignal): Promise<Letter> {
    const addressees = addresseesOf({ to: message.to, cc: message.cc ?? [], bcc: message.bcc ?? [] });
    const { to, cc, bcc } = addressees;
    if (to.length === 0) throw refused('the message has no to');
    if (to.length + cc.length + bcc.length > mostAddresses)
      throw refused(`a letter goes to at most ${mostAddresses} addresses`);
    const subject = checkLine(message.subject ?? '', 'subject');
    if (subject === '' && message.template_id === undefined) throw refused('the message has no subject');
    const text = message.textBody;
    const html = await this.#html(message, given, signal);
    if (text === undefined && html === undefined && message.template_id === undefined)
      throw refused('the message has no textBody, no htmlBody and no template');
    if (Buffer.byteLength(text ?? '') + Buffer.byteLength(html ?? '') > largest)
      throw refused(`the message is larger than ${largest} bytes`);
    return {
      from: this.#from(message),
      replyTo: this.#replyTo(message),
      ...addressees,
      subject,
      text,
      html,
      headers: headersOf(message.headers),
      attachments: await this.#attachments.read(message.attachments, signal),
      template:
        message.template_id === undefined ? undefined : { id: message.template_id, data: message.template_data ?? {} },
      tags: message.tags ?? [],
      trackOpens: message.track_opens,
      trackClicks: message.track_clicks,
    };
  }

  /** A template that the message names is printed before its own HTML, and that of the connector where it has no own HTML. */
  async #html(message: LetterMessage, given: Fields, signal: AbortSignal): Promise<string | undefined> {
    const { template, htmlBody, template_data: data = given, template_id: id } = message;
    if (template !== undefined) return this.#templates.print(template, data, signal);
    if (htmlBody !== undefined || id !== undefined || !this.#templates.hasUsual) return htmlBody;
    return this.#templates.print(undefined, data, signal);
  }

  #from({ from, from_name: name }: LetterMessage): Address {
    if (from !== undefined && from.length !== 1) throw refused('from must be one address');
    const [own] = from ?? [];
    const address = own ?? (this.#config.from ? addressIn(this.#config.from) : undefined);
    if (address === undefined) throw refused('the message has no from, and neither has the connector');
    const shown = name ?? (own === undefined ? this.#config.from_name || address.name : address.name);
    return { email: address.email, name: shown && checkLine(shown, 'from_name') };
  }

  #replyTo({ reply_to: given, reply_to_name: name }: LetterMessage): readonly Address[] {
    const own = this.#config.reply_to ? addressIn(this.#config.reply_to) : undefined;
    const addresses = given ?? (own === undefined ? [] : [own]);
    if (name === undefined || addresses.length !== 1) return addresses;
    return addresses.map(({ email }) => ({ email, name: checkLine(name, 'reply_to_name') }));
  }
}

function refused(message: string): Failure {
  return new Failure('value_refused', message);
}
