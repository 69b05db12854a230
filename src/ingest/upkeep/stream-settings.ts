// How any connection to Jetstream is made, as the operator set it: the main stream's, a replay's, a repair's.

import { type Collection, collections } from '../../base/atproto/collections.ts'
import type { Config } from '../../base/config/config.ts'
import type { StreamSettings } from '../replay/run.ts'

export function streamSettings(config: Config): StreamSettings {
  return {
    hosts: config.jetstreamHosts,
    wire: config.jetstreamWire,
    compress: config.jetstreamCompress,
    v1Dictionary: config.jetstreamV1Dictionary,
    cacheDir: config.dataDir,
  }
}

/** Of these, commits that concern nobody known are left unread; where everything is kept, none are. */
export function unreadCollections(config: Config): readonly Collection[] {
  return config.indexScope === 'network' ? [] : collections
}
