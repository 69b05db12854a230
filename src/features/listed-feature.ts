// A feature as it is listed: with the types of its parts, which the core's list (base/feature.ts) leaves open.

import type { Feature } from '../base/feature.ts'
import type { ServeFeature } from '../http/feature.ts'
import type { IngestFeature } from '../ingest/feature.ts'

export type ListedFeature = Feature & {
  ingest?(): Promise<IngestFeature>
  serve?(): Promise<ServeFeature>
}
