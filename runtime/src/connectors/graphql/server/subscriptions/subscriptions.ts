import type { GraphQLError } from 'graphql';
import type { SubscriptionCounts } from '../../../../foundation/contracts/observer.ts';
import type { Binding } from '../../../../foundation/contracts/source.ts';
import { failureOf } from '../../../../foundation/errors/answered.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { systemClock } from '../../../../foundation/observe/clock.ts';
import { dropAnswer } from '../../../../platform/http/drop-answer.ts';
import { parseField } from '../../operation.ts';
import { FieldMessage } from '../execution/field-message.ts';
import { isErrors, type Prepared } from '../execution/prepared.ts';
import type { GraphqlRequest } from '../http/request.ts';
import { errorsOf } from './errors.ts';
import { type Asked, type AskedField, type Receiver, type Subscriber, Subscription } from './subscription.ts';
import { Topics, type TopicsOptions } from './topics.ts';

/** What a configuration says of subscriptions. */
export interface SubscriptionConfiguration {
  /** The errors of a request, or what runs it. */
  readonly prepare: (request: GraphqlRequest) => Prepared | readonly GraphQLError[];
  /** Flows that are asked when a caller subscribes, by field. */
  readonly flows: ReadonlyMap<string, Binding>;
}

/** Most time that is spent on bringing subscriptions to another configuration in one turn, in milliseconds. */
const mostTime = 5;

/** The subscriptions of one connector, whatever they came over, under the configuration in use. */
export class Subscriptions {
  readonly topics: Topics;
  readonly #counts: SubscriptionCounts;
  #configuration: SubscriptionConfiguration = { prepare: () => [], flows: new Map() };
  #version = 0;

  constructor(options: Omit<TopicsOptions, 'renew'>, counts: SubscriptionCounts) {
    this.topics = new Topics({ ...options, renew: (subscription) => this.#renew(subscription) });
    this.#counts = counts;
  }

  /** From now on another configuration holds, also for those who have subscribed. */
  use(configuration: SubscriptionConfiguration): void {
    this.#configuration = configuration;
    this.#version++;
    this.#renewAll(this.topics.all(), this.#version);
  }

  prepare(request: GraphqlRequest): Prepared | readonly GraphQLError[] {
    return this.#configuration.prepare(request);
  }

  /** Whether the caller may subscribe: its variables fit, and the flow of the field accepts it. Throws or rejects with the reason. */
  async admit(
    request: GraphqlRequest,
    prepared: Prepared,
    subscriber: Subscriber,
    signal: () => AbortSignal,
  ): Promise<Asked> {
    const field = fieldOf(request, prepared);
    const binding = this.#configuration.flows.get(field.name);
    if (binding !== undefined) {
      const message = new FieldMessage(subscriber.asker(signal), {
        field: `Subscription.${field.name}`,
        args: field.args,
        parent: undefined,
        variables: request.variables,
        others: Object.keys(request.variables),
        selected: undefined,
        requested: undefined,
        columns: undefined,
      });
      const outcome = await binding.deliver(message);
      if (outcome.kind === 'failed') throw failureOf(outcome);
      if (outcome.kind !== 'reply') throw refused(dropAnswer(outcome));
    }
    return { prepared, field };
  }

  /** Sends events from now on, until it ends. */
  begin(request: GraphqlRequest, asked: Asked, subscriber: Subscriber, receiver: Receiver): Subscription {
    const subscription = new Subscription(request, asked, this.#version, subscriber, receiver, this.#counts);
    this.topics.add(subscription);
    this.#counts.subscribed(1);
    return subscription;
  }

  end(subscription: Subscription): void {
    if (subscription.isOver) return;
    subscription.end();
    this.#gone(subscription);
  }

  #finish(subscription: Subscription, errors: readonly GraphQLError[] | undefined): void {
    if (subscription.isOver) return;
    this.#gone(subscription);
    subscription.finish(errors);
  }

  #gone(subscription: Subscription): void {
    this.topics.remove(subscription);
    this.#counts.subscribed(-1);
  }

  #renew(subscription: Subscription): boolean {
    if (subscription.version === this.#version) return true;
    const prepared = this.prepare(subscription.request);
    if (!('execute' in prepared)) {
      this.#finish(subscription, prepared);
      return false;
    }
    try {
      subscription.asked = { prepared, field: fieldOf(subscription.request, prepared) };
      subscription.version = this.#version;
      return true;
    } catch (error) {
      this.#finish(subscription, errorsOf(error));
      return false;
    }
  }

  /** In several turns when they are many; the next configuration begins again. */
  #renewAll(subscriptions: readonly Subscription[], version: number): void {
    const started = systemClock.reading();
    for (let at = 0; at < subscriptions.length; at++) {
      const subscription = subscriptions[at] as Subscription;
      if (!subscription.isOver) this.#renew(subscription);
      if (systemClock.since(started) < mostTime) continue;
      setImmediate(() => {
        if (version === this.#version) this.#renewAll(subscriptions.slice(at + 1), version);
      });
      return;
    }
  }
}

function refused(answer: ReturnType<typeof dropAnswer>): Failure {
  if (answer instanceof Failure) return answer;
  return new Failure('value_refused', `the subscription was not accepted (${answer.reason})`);
}

/** The one field of a subscription. Throws what is wrong with the variables, as an AggregateError. */
function fieldOf({ variables: sent }: GraphqlRequest, prepared: Prepared): AskedField {
  const variables = prepared.variables(sent);
  if (isErrors(variables)) throw new AggregateError(variables);
  const [asked] = prepared.fields(variables);
  const name = parseField(asked?.field ?? '')?.field;
  if (prepared.kind !== 'subscription' || asked === undefined || name === undefined)
    throw new Failure('value_refused', 'the operation is not a subscription to a field');
  return { name, args: asked.args };
}
