// A running server's report on itself (routes.ts), as the command line and the doctor read it. What features add
// (feature-report.ts) is in `facts` and beside it.

import type { IngestStatus } from '../../bridge/messages.ts'
import type { Facts } from './facts.ts'

export type Status = {
  version: string
  pid: number
  uptimeSeconds: number
  origin: string
  bind: string
  /** As set: 0 is any free one. */
  port: number
  did: string
  scope: string
  facts: Facts
  ingest?: IngestStatus
}
