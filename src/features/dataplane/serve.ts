// The dataplane interface beside each serving thread's HTTP server: opens and closes with it, and loads
// nothing unless the operator configures a port.

import { settingsOf } from '../../base/config/every-setting.ts'
import type { ServeContext, ServeFeature, ServePart } from '../../http/feature.ts'
import { rpcNames } from './rpc-names.ts'
import { dataplaneSettings } from './settings.ts'
import type { DataplaneListener } from './wire/listener.ts'

export const serve: ServeFeature = {
  callNames: (config) => (isOn(config) ? rpcNames() : []),
  start: (parts) => (isOn(parts.config) ? besideServer(parts) : {}),
}

function isOn(config: object): boolean {
  return settingsOf(config, dataplaneSettings).dataplanePort !== undefined
}

function besideServer(context: ServeContext): ServePart {
  let listener: DataplaneListener | undefined
  return {
    async listen(how) {
      const { startDataplane } = await import('./dataplane.ts')
      const { invalidations } = context.memory
      const arrivals = context.app
      listener = await startDataplane({ ...context, arrivals, invalidations }, how)
    },
    close: () => listener?.close(),
  }
}
