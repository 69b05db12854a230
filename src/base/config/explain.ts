// Lists every setting with its value and origin, for operators who wonder why it has that value.

import { type Config, printedValue, settingSources } from './config.ts'
import { settings } from './settings.ts'

export type SettingOrigin = 'environment' | 'dotenv' | 'default' | 'derived'

export type ExplainedSetting = {
  key: string
  /**
   * As an operator would write it; undefined if there is none; for secrets, only that they are set.
   */
  value: string | undefined
  origin: SettingOrigin
  doc: string
}

export function explainSettings(config: Config): ExplainedSetting[] {
  const sources = settingSources()
  return Object.entries(settings).map(([name, setting]) => {
    const value = config[name as keyof Config]
    const unset = setting.fallback === undefined && value !== undefined ? 'derived' : 'default'
    return {
      key: setting.key,
      value: value === undefined ? undefined : printedValue(setting, value),
      origin: sources.get(setting.key) ?? unset,
      doc: setting.doc,
    }
  })
}
