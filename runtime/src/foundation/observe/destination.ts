import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { DiskState, isOfDisk } from '../disk/disk-state.ts';
import { systemClock } from './clock.ts';

/** Where finished log lines go. */
export interface LogDestination {
  /** Takes one line with its line break; never blocks and never throws. */
  write(line: string): void;
  /** Writes out what is held, before the process ends. */
  flush(): void;
}

/** A destination that may lose lines. */
export interface FileDestination extends LogDestination {
  /** Calls when lines can be written again, with how many were lost before. */
  whenLost(report: (lines: number) => void): void;
}

/** Whether the log of this process can be written, as far as its disk decides. */
export const logFile = new DiskState('the log');

/** Most bytes held for a reader that does not read; newer lines are dropped then. */
const mostHeld = 16 * 1024 * 1024;
/** Characters that are written at once. */
const pieceLength = 64 * 1024;
/** Milliseconds: how long to wait before the next write to a full reader, doubled up to the second, and how long the end waits for it. */
const shortestPause = 2;
const longestPause = 100;
const lastWait = 1_000;
/** Milliseconds: the longest pause while the disk is full. */
const longestDiskPause = 1_000;

/**
 * Writes to a file descriptor; a reader that is slow, hangs or has closed its end delays nothing, not even the end of the
 * process. While a disk is full, lines are held as for a reader that is slow.
 */
export function fileDestination(descriptor: number): FileDestination {
  const open = withoutBlocking(descriptor);
  return new HeldLines(open ?? descriptor, open !== undefined);
}

/**
 * Holds lines until they are written. Where a write never blocks, it is made at the end of each turn of the event loop;
 * elsewhere by another thread, since a file may be on a disk that is slow.
 */
class HeldLines implements FileDestination {
  readonly #descriptor: number;
  readonly #direct: boolean;
  #lines: string[] = [];
  #held = 0;
  /** What a write has begun and not finished. */
  #piece: Buffer | undefined;
  #state: 'idle' | 'due' | 'writing' | 'waiting' = 'idle';
  #pause = shortestPause;
  /** Lines that were dropped and not reported. */
  #lost = 0;
  #report: ((lines: number) => void) | undefined;
  /** Bytes of the file when another thread was given something to write. */
  #sizeBefore = 0;

  constructor(descriptor: number, direct: boolean) {
    this.#descriptor = descriptor;
    this.#direct = direct;
  }

  write(line: string): void {
    if (this.#held + line.length > mostHeld) {
      this.#lost++;
      return;
    }
    this.#held += line.length;
    this.#lines.push(line);
    if (this.#state !== 'idle') return;
    this.#state = 'due';
    setImmediate(this.#next);
  }

  whenLost(report: (lines: number) => void): void {
    this.#report = report;
  }

  flush(): void {
    const until = systemClock.elapsed() + lastWait;
    // What another thread is to write is written by it, and before what follows.
    if (this.#state === 'writing') this.#awaitThread(until);
    for (let piece = this.#take(); piece !== undefined; piece = this.#take())
      try {
        this.#wrote(piece, writeSync(this.#descriptor, piece));
        this.#reportLost();
      } catch (error) {
        if (!isFull(error) || systemClock.elapsed() > until) return this.#forget();
        pause();
      }
  }

  /** Waits until the file holds what another thread is to write: it may not have begun, and would not after the end. */
  #awaitThread(until: number): void {
    const length = this.#piece?.length ?? 0;
    this.#piece = undefined;
    while (systemClock.elapsed() < until) {
      const size = fileSize(this.#descriptor);
      if (size === undefined || size >= this.#sizeBefore + length) return;
      pause();
    }
  }

  readonly #next = (): void => {
    const piece = this.#take();
    this.#state = 'idle';
    if (piece === undefined) return;
    if (this.#direct) {
      try {
        this.#settle(piece, undefined, writeSync(this.#descriptor, piece));
      } catch (error) {
        this.#settle(piece, error, 0);
      }
      return;
    }
    this.#state = 'writing';
    this.#sizeBefore = fileSize(this.#descriptor) ?? 0;
    write(this.#descriptor, piece, (error, written) => {
      // A flush has taken over meanwhile.
      if (this.#piece !== piece) this.#state = 'idle';
      else this.#settle(piece, error ?? undefined, written);
    });
  };

  #settle(piece: Buffer, error: unknown, written: number): void {
    if (error === undefined) {
      this.#wrote(piece, written);
      logFile.wrote();
      this.#reportLost();
      this.#pause = shortestPause;
      this.#state = 'due';
      setImmediate(this.#next);
    } else if (isFull(error) || isOfDisk(error)) {
      logFile.failed(error);
      this.#state = 'waiting';
      // A reader that never reads does not keep the process from ending.
      setTimeout(this.#next, this.#pause).unref();
      this.#pause = Math.min(this.#pause * 2, isFull(error) ? longestPause : longestDiskPause);
    } else {
      // The reader of the log has gone; the next line tries again.
      this.#forget();
      this.#state = 'idle';
    }
  }

  /** What is to be written next; undefined when nothing is held. */
  #take(): Buffer | undefined {
    if (this.#piece !== undefined) return this.#piece;
    if (this.#lines.length === 0) return undefined;
    let length = 0;
    let count = 0;
    while (count < this.#lines.length && length < pieceLength) length += (this.#lines[count++] as string).length;
    const taken = this.#lines.splice(0, count);
    this.#held -= length;
    this.#piece = Buffer.from(taken.join(''));
    return this.#piece;
  }

  #wrote(piece: Buffer, bytes: number): void {
    this.#piece = bytes < piece.length ? piece.subarray(bytes) : undefined;
  }

  /** Once what was held is written: what was lost came behind it. */
  #reportLost(): void {
    if (this.#lost === 0 || this.#piece !== undefined || this.#lines.length > 0) return;
    const lines = this.#lost;
    this.#lost = 0;
    this.#report?.(lines);
  }

  #forget(): void {
    this.#lost += this.#lines.length + linesIn(this.#piece);
    this.#lines = [];
    this.#held = 0;
    this.#piece = undefined;
  }
}

function linesIn(piece: Buffer | undefined): number {
  return piece === undefined ? 0 : String(piece).split('\n').length - 1;
}

/** Bytes of a file; undefined for what is not a file, or is gone. */
function fileSize(descriptor: number): number | undefined {
  try {
    const file = fstatSync(descriptor);
    return file.isFile() ? file.size : undefined;
  } catch {
    return undefined;
  }
}

/** Blocks the whole thread for a moment. */
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, shortestPause);
}

function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EAGAIN' || error.code === 'EBUSY');
}

/** A socket that is collected would close the descriptor. */
const kept: Socket[] = [];

/**
 * A descriptor of the same pipe, terminal or socket whose writes never block; undefined for files, and where the system
 * offers no such writes. A pipe is opened again, since the one that was handed over may be shared with other programs.
 */
function withoutBlocking(descriptor: number): number | undefined {
  try {
    const kind = fstatSync(descriptor);
    if (kind.isSocket()) {
      const socket = new Socket({ fd: descriptor, readable: false, writable: true });
      socket.on('error', () => undefined);
      socket.unref();
      kept.push(socket);
      return descriptor;
    }
    if (process.platform !== 'linux' || !(kind.isFIFO() || kind.isCharacterDevice())) return undefined;
    return openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return undefined;
  }
}
