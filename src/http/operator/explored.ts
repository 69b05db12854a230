// What features add to the operator's explore page.

import type { Hono } from 'hono'
import type { Config } from '../../base/config/config.ts'
import type { SharedMemory } from '../../bridge/messages.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'

/** One line of the server at a glance. */
export type OverviewRow = {
  name: string
  text: string
  level: 'good' | 'info' | 'notice' | 'bad'
}

/** What is said about a post, and whether that speaks for showing it; undefined: neither. */
export type PostCheck = { text: string; isMet: boolean | undefined }

export type CheckContext = {
  db: Db
  actors: ActorReader
  /** What features in this process share. */
  memory?: Pick<SharedMemory, 'features'> | undefined
}

export type PostChecks = (owner: { uid: number; did: string }, uri: string) => readonly PostCheck[]

export type Explored = {
  overview?(config: Config): Promise<readonly OverviewRow[]>
  /** Queries behind the operator's token. */
  exploreRoutes?(app: Hono, parts: { db: Db }): void
  /** What they say about a post and an account, whether the post is here or not. */
  postChecks?(context: CheckContext): PostChecks
}
