// What the serving threads ask of the ingest thread.

export type FallbackCalls = {
  /** Counts from before our own counting began are missing: of these posts (posts.id) and accounts (uids), which are shown. */
  'fallback/counts-requested': { posts: readonly number[]; actors: readonly number[] }
}
