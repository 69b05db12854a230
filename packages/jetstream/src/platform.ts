// What is native in Node: Buffers' methods, hashes, the end of a turn. A browser has browser/platform.ts instead.

import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'

export { isUtf8 }

/** Invalid UTF-8 becomes replacement characters. */
export function textOf(bytes: Uint8Array): string {
  return asBuffer(bytes).toString()
}

export function latin1Of(bytes: Uint8Array, from: number, to: number): string {
  return asBuffer(bytes).toString('latin1', from, to)
}

export function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Buffer.concat(chunks)
}

/** Short, and the same for the same text. */
export function shortHash(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22)
}

/** Once what has arrived was read. */
export function soon(run: () => void): void {
  setImmediate(run)
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
