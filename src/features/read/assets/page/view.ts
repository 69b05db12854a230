// What a page of the client is: a heading, its content, and what to stop when one leaves it.

export type View = {
  title: string
  node: HTMLElement
  /** When there is something to see. */
  first?: Promise<void>
  /** Reads on at its end. @returns whether there may be still more */
  more?: (() => Promise<boolean>) | undefined
  /** Puts in what its reader has just posted. */
  refresh?: (() => Promise<void>) | undefined
  /** Whether it is shown anew for that. */
  showsPosted?: boolean
  dispose?(): void
}
