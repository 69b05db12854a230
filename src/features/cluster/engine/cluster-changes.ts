// The port through which nodes share state of the cluster that is no single member's: members, invites, tokens
// and the operator's decisions. Each change belongs to a key and states the key's full value; changes are
// numbered from 1, and only the latest per key is kept. Writing requires knowing all earlier changes, so
// seats and uses of an invite are counted once across nodes. Implemented by the CQL engine and, for tests, by
// a plain twin.

type ClusterChange = {
  key: string
  /** JSON text. */
  change: string
  /** The key was removed; nodes that never saw the key can skip this change. */
  isGone: boolean
}

export type NumberedClusterChange = ClusterChange & { number: number }

export type ClusterSlice = {
  /** The number of the latest change. */
  version: number
  /** The latest change of each key, if above the requested number; ascending. */
  changes: NumberedClusterChange[]
  /** Whether these are all existing keys: a key not among them was removed. */
  isComplete: boolean
  /** Removals up to this number are no longer recorded. */
  goneUntil: number
}

/** `replaces`: the number of the key's previous change, if any. */
export type NewClusterChange = ClusterChange & { replaces: number | undefined }

export type ClusterChanges = {
  version(): Promise<number>
  since(number: number): Promise<ClusterSlice>
  /**
   * Writes them with the numbers after `version`, all or none.
   * @returns whether `version` was the latest. @throws EngineUnavailableError if the outcome is
   * unknown
   */
  put(version: number, changes: readonly NewClusterChange[]): Promise<boolean>
  /**
   * Drops records of removed keys, oldest first. Readers that have not come past them get the whole
   * state from then on.
   * @returns whether `version` was the latest
   */
  prune(version: number, numbers: readonly number[]): Promise<boolean>
}

/** Largest number of changes per batch; the engine rejects larger batches. */
export const MAX_CLUSTER_CHANGES_AT_ONCE = 30
