// What every skeleton that reads page by page is asked, and gives.

export type PlaceInList = { limit: number; cursor: string | undefined }

export type SkeletonPage<Item> = {
  items: Item[]
  /** Undefined after the last one. */
  cursor: string | undefined
  /** Short on purpose: what follows is for another request. */
  isCut?: boolean
  /** Ends among items that no cursor can part: what follows it may leave one out. */
  isSplit?: boolean
}
