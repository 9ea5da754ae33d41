import type { Socket } from 'node:net';
import { systemClock } from '../../../foundation/observe/clock.ts';

/** Bytes of frames beside requests that a connection may send at once. */
const burst = 1024 * 1024;
/** And in a second from then on. */
const perSecond = 64 * 1024;
/** Bytes of answers for each byte by which callers may say that they have taken them. */
const answersForByte = 64;
/** A frame of one byte has ten, and callers choose how they cut a body up. */
const bodyFactor = 16;
/** Bytes of the frames of a request, its headers aside. */
const requestBytes = 512;
/** Bytes by which one encoded header may be longer than what it says. */
const headerBytes = 16;

/**
 * What a caller may send that is neither a request nor a body: pings, settings, priorities, resets, windows, empty and padded
 * frames. Each costs work and none asks for anything, so that no other limit holds them. It is measured by bytes, of whatever
 * kind the frames are.
 */
export class FrameBudget {
  readonly #socket: Socket;
  #left = burst;
  #lookedAt = systemClock.elapsed();
  #read = 0;
  #written = 0;
  #untaken = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  tookRequest(size: number, headers: number): void {
    this.#left += size + headers * headerBytes + requestBytes;
  }

  tookBody(length: number): void {
    this.#left += length * bodyFactor;
  }

  /** Called now and then. `untaken` are the bytes of bodies that have come and that nothing has read. */
  isExceeded(untaken: number): boolean {
    const now = systemClock.elapsed();
    const { bytesRead, bytesWritten } = this.#socket;
    const earned = ((now - this.#lookedAt) / 1_000) * perSecond + (bytesWritten - this.#written) / answersForByte;
    const sent = bytesRead - this.#read - (untaken - this.#untaken);
    this.#left = Math.min(this.#left + earned - sent, burst);
    this.#lookedAt = now;
    this.#read = bytesRead;
    this.#written = bytesWritten;
    this.#untaken = untaken;
    return this.#left < 0;
  }
}
