// What the serving threads ask of the writer about videos.

export type MediaCalls = {
  /** Video segments delivered to players, each at least once. */
  'media/watched': { watches: readonly SegmentWatch[] }
}

/** A video segment requested in a session. */
export type SegmentWatch = {
  session: string
  /** When the session began; milliseconds since 1970. */
  issuedAt: number
  /** The post that shows the video, and its author's uid. */
  uid: number
  rkey: string
  /** Index of the segment, from 0, and its duration. */
  segment: number
  milliseconds: number
  /** Day of the request; UTC, since 1970. */
  day: number
}
