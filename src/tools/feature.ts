// What a feature adds to the command line: commands, checks of the doctor, which come after the core's, and lines of
// `slipstream stats`.

import type { Command } from 'commander'
import type { Config } from '../base/config/config.ts'
import { loadParts } from '../base/feature.ts'
import type { FeatureReport, Reports } from '../http/operator/feature-report.ts'
import type { CliContext } from './cli/context.ts'
import type { Check } from './doctor/examine.ts'

export type ToolsFeature = Reports & {
  commands?(program: Command, context: CliContext): void
  /** Options that it adds to commands of the core. */
  further?: Partial<Record<'backup' | 'restore', FurtherOptions>>
  /** Findings in an area that the core checks, too, are among the core's. */
  checks?: readonly Check[]
  /** Bytes of memory that its processes may take besides the server. */
  processBytes?(config: Config): number
  /** Lines of `slipstream stats`, from the running server's report, or from `report` if none runs. */
  statsLines?(report: FeatureReport): readonly (readonly [name: string, value: string])[]
}

export type FurtherOptions = {
  addTo(command: Command): void
  /** @returns whether one of them was given, and the command is done */
  run(options: Readonly<Record<string, unknown>>, context: CliContext): Promise<boolean>
}

/** @returns whether a feature's option was given, and the command is done */
export async function runFurther(
  list: readonly (FurtherOptions | undefined)[],
  options: Readonly<Record<string, unknown>>,
  context: CliContext,
): Promise<boolean> {
  for (const item of list) if (await item?.run(options, context)) return true
  return false
}

export function loadToolsFeatures(): Promise<readonly ToolsFeature[]> {
  return loadParts('tools')
}

export function processBytesOf(list: readonly ToolsFeature[], config: Config): number {
  return list.reduce((sum, value) => sum + (value.processBytes?.(config) ?? 0), 0)
}

export function checksOf(list: readonly ToolsFeature[]): Check[] {
  return list.flatMap(({ checks = [] }) => checks)
}
