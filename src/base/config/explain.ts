// Every setting with its value and where that came from, for people who look for why it is so.

import { type Config, settingSources, shownValue } from './config.ts'
import { settings } from './settings.ts'

export type SettingOrigin = 'environment' | 'dotenv' | 'default' | 'derived'

export type ExplainedSetting = {
  key: string
  /** As an operator would write it; undefined where there is none; of secrets only that they are set. */
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
