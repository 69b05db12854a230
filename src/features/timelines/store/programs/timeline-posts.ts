// Programs' posts to their timelines, and their outcomes: from a serving thread to the writer and back.

export type TimelinePost = {
  /** Name of the timeline. */
  name: string
  entityId: string
  entityType: string
  /** JSON. */
  payload: string
  /** Milliseconds. */
  producerTs: number
  /** A digest of the idempotency key. */
  key: Uint8Array | undefined
  /** If there is a key, a digest of the post without its time; otherwise empty. */
  body: Uint8Array
  /** Set if the producer numbers its events, from 1. */
  numbered: { producer: string; number: number } | undefined
}

export type PostedEvent = { seq: number; receivedAt: number }

export type PostOutcome =
  | ({ ok: true } & PostedEvent)
  | {
      ok: false
      status: number
      error: string
      message: string
      /** The event posted with the same idempotency key. */
      stored?: PostedEvent
    }

/** `at`: its arrival time, if not that of the others. */
export type GivenPost = { post: TimelinePost; seq: number; at?: number }

/**
 * The outcome that posts to one timeline would have, based on the log entries that this node has
 * followed.
 */
export type PostPlan = {
  /** The last entry followed. */
  version: number
  outcomes: PostOutcome[]
  /** New posts and their arrival times: the content of the log's next entry. */
  given: GivenPost[]
  receivedAt: number
}
