// What routes need of nodes that share timelines (http/serve/); a server alone has neither.

export type UpToDate = {
  /**
   * Call before reading the newest entries.
   * @returns whether the engine answered in time
   */
  upToDate(names: readonly string[]): Promise<boolean>
}

export type Followed = UpToDate & {
  /** Keeps these timelines' rows up to date until the returned function is called. */
  follow(names: readonly string[]): () => void
}
