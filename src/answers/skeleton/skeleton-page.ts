// Request and result of all skeletons that read page by page.

export type PageRange = { limit: number; cursor: string | undefined }

export type SkeletonPage<Item> = {
  items: Item[]
  /** Undefined after the last page. */
  cursor: string | undefined
  /** The page is short on purpose; the rest is left to another request. */
  isCut?: boolean
}
