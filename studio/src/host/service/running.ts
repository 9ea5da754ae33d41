import type { Projects } from '../files/projects.ts';
import type { HostServices } from '../host.ts';
import { AttachedService, type Attachment } from './attached.ts';
import { createQueues } from './create-queues.ts';
import { preview } from './preview.ts';
import { deadLetters, discard, figures, peek, publish, sample, sendBack } from './queue-desk.ts';
import type { RunnerOptions } from './runner-options.ts';
import { ServiceRunner } from './service-runner.ts';

type ServiceServices = Pick<HostServices, Extract<keyof HostServices, `service.${string}`>>;

export interface Running {
  readonly services: ServiceServices;
  tokenFor(address: string): string | undefined;
  /** The folder is left: ends what this host started in it, and forgets how that went. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

/** The service of the open folder, when this host runs it. */
export function ownService(projects: Projects, options: RunnerOptions): Running {
  const runner = new ServiceRunner(options);
  const trusted = () => {
    const project = projects.required;
    if (!project.trusted) throw new Error('trust this folder first: a service runs what is in it');
    return project;
  };
  const start = async ({ capture }: { readonly capture?: boolean | undefined }) => {
    await runner.start(trusted().directory, capture);
    return {};
  };
  return {
    services: {
      'service.start': start,
      'service.preview': async (asked) => ({ messages: await preview(options, trusted().directory, asked) }),
      'service.createQueues': async () => ({ created: await createQueues(options, trusted().directory) }),
      'service.peek': async (asked) => ({ messages: await peek(options, trusted().directory, asked) }),
      'service.deadLetters': async (asked) => ({
        messages: await deadLetters(options, trusted().directory, asked),
      }),
      'service.discard': async (asked) => ({ removed: await discard(options, trusted().directory, asked) }),
      'service.sendBack': async (asked) => ({ sent: await sendBack(options, trusted().directory, asked) }),
      'service.figures': async ({ connector }) => ({
        places: await figures(options, trusted().directory, connector),
      }),
      'service.sample': async (asked) => sample(options, trusted().directory, asked),
      'service.publish': async (asked) => publish(options, trusted().directory, asked),
      'service.stop': async () => {
        void runner.stop();
        return {};
      },
      'service.restart': async (asked) => {
        await runner.stop();
        return start(asked);
      },
      'service.state': async () => ({ state: runner.state, log: runner.log.last }),
    },
    tokenFor: (address) => runner.tokenFor(address),
    leave: () => runner.forget(),
    close: () => runner.stop(),
  };
}

/** A service that another program runs: it is shown and debugged, and stopped where it was started. */
export function attachedService(attachment: Attachment, { emit }: Pick<RunnerOptions, 'emit'>): Running {
  const attached = new AttachedService(attachment, emit);
  const refuse = async () => {
    throw new Error('another program started this service; stop and start it there');
  };
  return {
    services: {
      'service.start': refuse,
      'service.preview': refuse,
      'service.createQueues': refuse,
      'service.peek': refuse,
      'service.deadLetters': refuse,
      'service.discard': refuse,
      'service.sendBack': refuse,
      'service.figures': refuse,
      'service.sample': refuse,
      'service.publish': refuse,
      'service.stop': refuse,
      'service.restart': refuse,
      'service.state': async () => ({ state: attached.state, log: [] }),
    },
    tokenFor: () => undefined,
    leave: async () => undefined,
    close: async () => attached.close(),
  };
}
