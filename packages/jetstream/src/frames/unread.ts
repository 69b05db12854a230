// Commits kept unparsed until it is known whether they are needed. Most are not: no known account wrote them
// or is named in them. The set of known accounts changes with every earlier event, so this can't be decided
// on arrival; the frame's content is copied and waits with its batch.
//
// Content is stored in large chunks, each shared by some hundred events and freed with the last of them.

import type { CommitEvent, UnreadCommit } from '../event.ts'
import { CommitScan } from './commit-scan.ts'
import { DoubtError } from './doubt.ts'

const CHUNK_BYTES = 256 * 1024

type Scanner = {
  /** @returns undefined if the frame must be parsed to know what it is. */
  scan(content: Uint8Array): UnreadCommit | undefined
}

export function createScanner(options: {
  wire: 'v1' | 'v2'
  /** Collections whose commits may stay unparsed. */
  collections: readonly string[]
  /** The full decoder. */
  parse: (content: Uint8Array) => unknown
}): Scanner {
  const { wire, collections, parse } = options
  const fields = new CommitScan(wire, collections)
  let chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  let top = 0

  /** @returns where in `chunk` the copy begins. */
  function store(content: Uint8Array): number {
    if (top + content.length > chunk.length) {
      chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, content.length))
      top = 0
    }
    chunk.set(content, top)
    top += content.length
    return top - content.length
  }

  function scan(content: Uint8Array): UnreadCommit | undefined {
    try {
      fields.read(content)
    } catch (error) {
      if (error instanceof DoubtError) return undefined
      throw error
    }
    const start = store(content)
    return new CachedContent(fields, { bytes: chunk, start, length: content.length, parse })
  }

  return { scan }
}

type Cached = {
  bytes: Buffer
  start: number
  length: number
  parse: (content: Uint8Array) => unknown
}

class CachedContent implements UnreadCommit {
  readonly kind = 'unread'
  readonly timeUs: number
  readonly seq: number | undefined
  readonly operation: 'create' | 'update' | 'delete'
  readonly collection: string
  readonly bytes: Buffer
  readonly creatorAt: number
  readonly accountsAt: readonly number[]
  readonly #start: number
  readonly #length: number
  readonly #parse: (content: Uint8Array) => unknown

  constructor(fields: CommitScan, { bytes, start, length, parse }: Cached) {
    this.timeUs = fields.timeUs
    this.seq = fields.seq
    this.operation = fields.operation
    this.collection = fields.collection
    this.bytes = bytes
    this.creatorAt = fields.creatorAt + start
    const { accountsAt } = fields
    for (let i = 0; i < accountsAt.length; i++) accountsAt[i]! += start
    this.accountsAt = accountsAt
    this.#start = start
    this.#length = length
    this.#parse = parse
  }

  read(): CommitEvent | undefined {
    const content = this.bytes.subarray(this.#start, this.#start + this.#length)
    const event = this.#parse(content) as Partial<CommitEvent> | string
    return typeof event === 'object' && event.kind === 'commit' ? (event as CommitEvent) : undefined
  }
}
