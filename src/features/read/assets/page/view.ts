// What a page of the client is: a heading, its content, and what to stop when one leaves it.

export type View = {
  title: string
  node: HTMLElement
  /** When there is something to see. */
  first?: Promise<void>
  /** Whether it scrolls to its own place. */
  keepsPlace?: boolean
  dispose?(): void
}
