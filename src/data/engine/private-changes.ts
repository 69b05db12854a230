// The port by which members' private state reaches the other nodes: each member's changes, numbered from 1 without a
// gap. Of each key only the latest change is kept, so what a member has is bounded by what they touched. Behind it
// stand the CQL engine and, for tests, a plain twin; one suite holds both to the same behaviour.

export type PrivateChange = {
  /** What it is about: a later change of the same key takes its place. */
  key: string
  /** JSON. */
  change: string
  /** Milliseconds, by the clock of the node that took it in. */
  madeAt: number
}

export type NumberedChange = PrivateChange & { number: number }

export type PrivateChanges = {
  /**
   * Adds them together, in this order. Resolves with the number of the last one once the next `version` and `since`
   * on any node show them.
   * @throws EngineUnavailableError: they may be there or not
   */
  append(member: string, changes: readonly PrivateChange[]): Promise<number>
  /** The number of the member's latest change; 0 where there is none. */
  version(member: string): Promise<number>
  /** Of each key the latest change, where that is above `number`; ascending. */
  since(member: string, number: number): Promise<NumberedChange[]>
  /** Drops everything; the next change is numbered on. @throws EngineUnavailableError: it may be done or not */
  forget(member: string): Promise<void>
}

/** So many go into one batch; a batch that is too large is refused by the engine. */
export const MAX_CHANGES_AT_ONCE = 50
