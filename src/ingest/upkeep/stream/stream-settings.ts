// Settings of every connection to Jetstream, as configured by the operator: the main stream's, a replay's, a
// repair's.

import { type Collection, collections } from '../../../base/atproto/collections.ts'
import type { Config } from '../../../base/config/config.ts'
import type { StreamUse, Traffic } from '../../../sources/traffic.ts'
import type { StreamSettings } from '../../replay/run.ts'

export function streamSettings(config: Config, traffic: Traffic, use: StreamUse): StreamSettings {
  return {
    hosts: config.jetstreamHosts,
    wire: config.jetstreamWire,
    compress: config.jetstreamCompress,
    v1Dictionary: config.jetstreamV1Dictionary,
    cacheDir: config.dataDir,
    meter: (host, wire) => traffic.of(host, wire, use),
  }
}

/**
 * Collections whose commits stay unparsed unless they concern a known account; none if the whole
 * network is indexed.
 */
export function unreadCollections(config: Config): readonly Collection[] {
  return config.indexScope === 'network' ? [] : collections
}
