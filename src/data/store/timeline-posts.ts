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
  /** A digest of the idempotency key. */
  key: Uint8Array | undefined
  /** Where there is a key, a digest of all that was posted; else empty. */
  body: Uint8Array
  /** Where the producer numbers its events, from 1. */
  numbered: { producer: string; number: number } | undefined
}

export type PostOutcome =
  | { ok: true; seq: number; receivedAt: number }
  | { ok: false; status: number; error: string; message: string }

/** `at`: when it came, where that was not with the others. */
export type GivenPost = { post: TimelinePost; seq: number; at?: number }

/** What would become of posts to one timeline, on top of what this node has followed of its log. */
export type PostPlan = {
  /** The last entry that was followed. */
  version: number
  outcomes: PostOutcome[]
  /** Those that are not there yet, and when they came: what the next entry of the log is to say. */
  given: GivenPost[]
  receivedAt: number
}
