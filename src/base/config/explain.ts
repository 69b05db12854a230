// Lists every setting with its value and origin, for operators who wonder why it has that value.

import { type Config, settingSources, shownValue } from './config.ts'
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
  return Object.entries(settings).map(([name, one]) => {
    const value = config[name as keyof Config]
    const unset = one.fallback === undefined && value !== undefined ? 'derived' : 'default'
    return {
      key: one.key,
      value: value === undefined ? undefined : shownValue(one, value),
      origin: sources.get(one.key) ?? unset,
      doc: one.doc,
    }
  })
}
