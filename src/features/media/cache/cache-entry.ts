// File format of a disk cache entry: a head of one padded line of text, which `head -1` shows, then the body.
// The head holds the body's length and SHA-256, so that files torn by a crash or damaged on disk are
// detected.

import { hash } from 'node:crypto'

export type CacheEntry = {
  contentType: string
  /** SHA-256 of the body in hexadecimal. */
  digest: string
  body: Buffer
}

export type EntryHead = { contentType: string; digest: string; length: number }

export const HEAD_BYTES = 160
const HEAD = /^slipstream-media 1 (\S{1,60}) (\d{1,12}) ([0-9a-f]{64}) *\n$/

export function makeEntry(contentType: string, body: Buffer): CacheEntry {
  return { contentType, digest: hash('sha256', body), body }
}

/** Returns the head's bytes; the body follows it. */
export function sealHead({ contentType, digest, length }: EntryHead): Buffer {
  const line = `slipstream-media 1 ${contentType} ${length} ${digest}`
  return Buffer.from(`${line.padEnd(HEAD_BYTES - 1)}\n`, 'latin1')
}

export function readHead(bytes: Buffer): EntryHead | undefined {
  const found = HEAD.exec(bytes.toString('latin1', 0, HEAD_BYTES))
  if (!found) return undefined
  const [, contentType = '', length = '', digest = ''] = found
  return { contentType, digest, length: Number(length) }
}

/** Returns the whole entry; undefined if it is torn or altered. */
export function openEntry(bytes: Buffer): CacheEntry | undefined {
  const head = readHead(bytes)
  const body = bytes.subarray(HEAD_BYTES)
  if (!head || head.length !== body.length || hash('sha256', body) !== head.digest) return undefined
  return { contentType: head.contentType, digest: head.digest, body }
}
