/** Bytes of a batch with one record, and where its checksum and what that is of are. */
const size = 78;
const at = { checksum: 17, checked: 21 } as const;
const [transactional, control] = [0x10, 0x20] as const;

/** The batch that ends a transaction in a partition: its record is for consumers, no message. */
export function controlBatch(producer: bigint, epoch: number, isCommitted: boolean): Buffer {
  const batch = Buffer.alloc(size);
  const now = BigInt(Date.now());
  batch.writeInt32BE(size - 12, 8);
  batch.writeInt8(2, 16);
  batch.writeInt16BE(transactional | control, 21);
  batch.writeBigInt64BE(now, 27);
  batch.writeBigInt64BE(now, 35);
  batch.writeBigInt64BE(producer, 43);
  batch.writeInt16BE(epoch, 51);
  batch.writeInt32BE(-1, 53);
  batch.writeInt32BE(1, 57);
  // Lengths are numbers of zigzag encoding: the record, its key (version and type), its value (version and coordinator).
  const record = [32, 0, 0, 0, 8, 0, 0, 0, isCommitted ? 1 : 0, 12, 0, 0, 0, 0, 0, 0, 0];
  Buffer.from(record).copy(batch, 61);
  batch.writeUInt32BE(castagnoli(batch.subarray(at.checked)), at.checksum);
  return batch;
}

const table = Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = (value & 1) === 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1;
  return value >>> 0;
});

/** CRC-32C. */
function castagnoli(bytes: Buffer): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = (value >>> 8) ^ (table[(value ^ byte) & 0xff] as number);
  return (value ^ 0xffffffff) >>> 0;
}
