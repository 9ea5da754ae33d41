import { errors, ProtocolError } from './errors.ts';
import type { Partition } from './topics.ts';

interface Producer {
  readonly producer: bigint;
  epoch: number;
  readonly partitions: Set<Partition>;
}

/** Producers with a name of their own, as the coordinator of their transactions knows them. */
export class Transactions {
  readonly #producers = new Map<string, Producer>();

  /** The id of a producer. One that begins again ends what the one before it left open. */
  begin(name: string, newProducer: () => bigint): { readonly producer: bigint; readonly epoch: number } {
    const known = this.#producers.get(name);
    if (known === undefined) {
      const made = { producer: newProducer(), epoch: 0, partitions: new Set<Partition>() };
      this.#producers.set(name, made);
      return made;
    }
    known.epoch++;
    this.#close(known, false);
    return known;
  }

  add(name: string, producer: bigint, epoch: number, partition: Partition): void {
    const known = this.#check(name, producer, epoch);
    known.partitions.add(partition);
    partition.transactions.open(producer);
  }

  end(name: string, producer: bigint, epoch: number, isCommitted: boolean): void {
    this.#close(this.#check(name, producer, epoch), isCommitted);
  }

  #close({ producer, epoch, partitions }: Producer, isCommitted: boolean): void {
    for (const partition of partitions) partition.endTransaction(producer, epoch, isCommitted);
    partitions.clear();
  }

  #check(name: string, producer: bigint, epoch: number): Producer {
    const known = this.#producers.get(name);
    if (known?.producer !== producer) throw new ProtocolError(errors.invalidProducerIdMapping);
    if (known.epoch !== epoch) throw new ProtocolError(errors.invalidProducerEpoch);
    return known;
  }
}
