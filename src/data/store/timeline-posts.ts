// What programs post to their timelines, and what becomes of it: from a serving thread to the writer and back.

export type TimelinePost = {
  /** Of the timeline. */
  name: string
  entityId: string
  entityType: string
  /** JSON. */
  payload: string
  /** Milliseconds. */
  producerTs: number
  /** Digests of the idempotency key and of the whole body. */
  key: Uint8Array | undefined
  body: Uint8Array
  /** Where the producer numbers its events, from 1. */
  numbered: { producer: string; number: number } | undefined
}

export type PostOutcome =
  | { ok: true; seq: number; receivedAt: number }
  | { ok: false; status: number; error: string; message: string }
