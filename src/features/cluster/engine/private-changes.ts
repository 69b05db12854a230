// The port through which members' private state reaches the other nodes: each member's changes, numbered from
// 1 without gaps. Only the latest change of each key is kept, so a member's state is bounded by the number of
// keys they changed. Implemented by the CQL engine and, for tests, by a plain twin; one test suite covers
// both.

export type PrivateChange = {
  /** What the change is about: a later change with the same key replaces it. */
  key: string
  /** JSON text. */
  change: string
  /** Milliseconds, by the clock of the node that received it. */
  madeAt: number
}

export type NumberedChange = PrivateChange & { number: number }

export type PrivateChanges = {
  /**
   * Appends the changes together, in this order. Resolves with the number of the last one once the
   * next `version` and `since` on any node show them.
   * @throws EngineUnavailableError if the outcome is unknown
   */
  append(member: string, changes: readonly PrivateChange[]): Promise<number>
  /** The number of the member's latest change; 0 if there is none. */
  version(member: string): Promise<number>
  /** The latest change of each key, if above `number`; ascending. */
  since(member: string, number: number): Promise<NumberedChange[]>
  /**
   * Drops everything; the numbering continues. @throws EngineUnavailableError if the outcome is
   * unknown
   */
  forget(member: string): Promise<void>
}

/** Largest number of changes per batch; the engine rejects larger batches. */
export const MAX_CHANGES_AT_ONCE = 50
