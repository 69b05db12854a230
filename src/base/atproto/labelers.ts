// The labelers whose labels count for a request: a part of its Reader (answers/hydrate/reader.ts).

export type Labelers = {
  /** In the order the client named them. */
  dids: readonly string[]
  /** The labelers among them whose takedowns hide content entirely. */
  redact: ReadonlySet<string>
}

export const NO_LABELERS: Labelers = { dids: [], redact: new Set() }
