// What a feature adds to the command line: commands, and checks of the doctor, which come after the core's.

import type { Command } from 'commander'
import { features } from '../base/feature.ts'
import type { CliContext } from './cli/context.ts'
import type { Check } from './doctor/examine.ts'

export type ToolsFeature = {
  commands?(program: Command, context: CliContext): void
  checks?: readonly Check[]
}

export async function loadToolsFeatures(): Promise<readonly ToolsFeature[]> {
  const parts = await Promise.all(features.map(({ tools }) => tools?.()))
  // Their types are checked where they are listed (features/features.ts).
  return parts.filter((part) => part !== undefined) as readonly ToolsFeature[]
}
