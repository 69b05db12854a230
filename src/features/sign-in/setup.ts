// What the browser's part of signing in knows of this server: it is in the head of the page.

export type Scopes = {
  /** To read and write here. */
  use: string
  /** The same, and to read private state at the AppView used before. */
  bring: string
  /** The same, and to write it there. */
  leave: string
  /** For a PDS that knows no others: everything but direct messages and account settings. */
  everything: string
  /** All that may be asked for: what the client's metadata must name. */
  all: string
}

export type Setup = {
  clientId: string
  serviceDid: string
  hostname: string
  plcUrl: string
  /** The AppView used before, as DID#service. */
  previous: string
  scopes: Omit<Scopes, 'all'>
  /** Who may become a member. */
  members: 'open' | 'invite' | 'listed'
  isLoopback: boolean
}
