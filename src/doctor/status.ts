// What a running server says of itself, as far as it matters here (operator/routes.ts).

import type { IngestStatus } from '../bridge.ts'
import type { Facts } from '../operator/facts.ts'

export type Status = {
  version: string
  pid: number
  uptimeSeconds: number
  origin: string
  did: string
  scope: string
  facts: Facts
  ingest?: IngestStatus
}
