import type { Config } from '../../base/config/config.ts'
import { settingsOf } from '../../base/config/every-setting.ts'
import { mediaSettings } from './settings.ts'

export type MediaConfig = Config & ReturnType<typeof settingsOf<typeof mediaSettings>>

/** With the feature's own settings. */
export function mediaConfig(config: Config): MediaConfig {
  return settingsOf(config, mediaSettings) as MediaConfig
}
