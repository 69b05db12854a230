// What a feature says before anything changes the rows: in the server, and in commands without one.

import type { Config } from '../base/config/config.ts'
import { loadParts } from '../base/feature.ts'
import type { Db } from './store/db.ts'

export type RowsFeature = {
  /** Whether members' state belongs to several nodes, so that rows alone can't change it. */
  isShared?(config: Config): boolean
  /**
   * Called with the opened database.
   * @throws ConfigError if this node may not change the rows
   */
  refuse?(config: Config, db: Db): void
  /**
   * Called before a command changes rows without the server.
   * @throws ConfigError if only a server may
   */
  refuseOffline?(config: Config): void
}

export function loadRowsFeatures(): Promise<readonly RowsFeature[]> {
  return loadParts('rows')
}

/** @throws ConfigError if this node may not change the rows */
export function refuseRows(list: readonly RowsFeature[], config: Config, db: Db): void {
  for (const feature of list) feature.refuse?.(config, db)
}
