// The port by which nodes share what is of the place and of no single member's own: who the members are, invites, tokens
// and the operator's decisions. Each change is about a key and says all there is to say of it; they are numbered from 1
// on, and of each key the latest is kept. Nothing is put without knowing all that was there before, so seats and the
// uses of an invite are counted once for all nodes. Behind it stand the CQL engine and, for tests, a plain twin.

type PlaceChange = {
  key: string
  /** JSON. */
  change: string
  /** Whoever never heard of the key need not hear of this. */
  isGone: boolean
}

export type NumberedPlaceChange = PlaceChange & { number: number }

export type PlaceSlice = {
  /** The number of the latest change. */
  version: number
  /** Of each key the latest, where that is above the number that was asked from; ascending. */
  changes: NumberedPlaceChange[]
  /** These are all that stand: a key that is not among them is gone. */
  isWhole: boolean
  /** That older keys are gone is said by nothing any more. */
  goneUntil: number
}

/** `replaces`: the number of the change of the same key before, if there was one. */
export type NewPlaceChange = PlaceChange & { replaces: number | undefined }

export type PlaceChanges = {
  version(): Promise<number>
  since(number: number): Promise<PlaceSlice>
  /**
   * Numbers them on from `version`, all or none of them.
   * @returns whether that was the latest. @throws EngineUnavailableError: they may be there or not
   */
  put(version: number, changes: readonly NewPlaceChange[]): Promise<boolean>
  /**
   * Drops what says of keys only that they are gone, the oldest of those first; whoever has come no further is given the
   * whole from then on.
   * @returns whether `version` was the latest
   */
  prune(version: number, numbers: readonly number[]): Promise<boolean>
}

/** So many go into one batch; a batch that is too large is refused by the engine. */
export const MAX_PLACE_CHANGES_AT_ONCE = 30
