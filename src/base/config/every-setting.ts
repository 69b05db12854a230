import { features } from '../feature.ts'
import type { Setting } from './setting.ts'
import { settings } from './settings.ts'

export const everySetting: Readonly<Record<string, Setting<unknown>>> = {
  ...settings,
  ...Object.assign({}, ...features.map((feature) => feature.settings)),
}

type Parsed<Table> = { [Name in keyof Table]: Table[Name] extends Setting<infer T> ? T : never }

/** The values of a feature's own settings, which `Config` holds without naming them. */
export function settingsOf<Table extends object>(config: object, _table: Table): Parsed<Table> {
  return config as Parsed<Table>
}
