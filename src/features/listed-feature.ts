// A feature as it is listed: with the types of its parts, which the core's list (base/feature.ts) leaves open.

import type { Config } from '../base/config/config.ts'
import type { Feature } from '../base/feature.ts'
import type { RowsFeature } from '../data/feature.ts'
import type { ServeFeature } from '../http/feature.ts'
import type { IngestFeature } from '../ingest/feature.ts'
import type { ToolsFeature } from '../tools/feature.ts'

export type ListedFeature = Omit<Feature, 'prepare'> & {
  prepare?(config: Config): Promise<void>
  rows?(): Promise<RowsFeature>
  ingest?(): Promise<IngestFeature>
  serve?(): Promise<ServeFeature>
  tools?(): Promise<ToolsFeature>
}
