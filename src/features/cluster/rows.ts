// Who may change rows that nodes share: a server on the engine, but no command beside it, and no node without it.

import { type Config, ConfigError } from '../../base/config/config.ts'
import { settingsOf } from '../../base/config/every-setting.ts'
import type { RowsFeature } from '../../data/feature.ts'
import { clusterSettings } from './settings.ts'
import { refuseAlone } from './store/engine-move.ts'

export const rows: RowsFeature = {
  isShared,
  refuse(config, db) {
    if (!isShared(config)) refuseAlone(db)
  },
  refuseOffline(config) {
    if (!isShared(config)) return
    throw new ConfigError(
      'This node shares members, invites, tokens and decisions with others (SLIPSTREAM_ENGINE), but its server is not running.',
      'Start it, or run this on a node that is up: it applies to all of them.',
    )
  },
}

function isShared(config: Config): boolean {
  return settingsOf(config, clusterSettings).engine !== undefined
}
