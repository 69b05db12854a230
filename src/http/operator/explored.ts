// What features add to the operator's explore page.

import type { Hono } from 'hono'
import type { Config } from '../../base/config/config.ts'
import type { Db } from '../../data/store/db.ts'

/** One line of the server at a glance. */
export type OverviewRow = {
  name: string
  text: string
  level: 'good' | 'info' | 'notice' | 'bad'
}

export type Explored = {
  overview?(config: Config): Promise<readonly OverviewRow[]>
  /** Queries behind the operator's token. */
  exploreRoutes?(app: Hono, parts: { db: Db }): void
}
