// Whose labels count for a request: a part of its Reader (reader.ts).

export type Labelers = {
  /** In the order in which the client named them. */
  dids: readonly string[]
  /** Those of them whose takedowns hide content altogether. */
  redact: ReadonlySet<string>
}

export const NO_LABELERS: Labelers = { dids: [], redact: new Set() }
