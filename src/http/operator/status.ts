// A running server's report on itself (routes.ts), as the command line and the doctor read it.

import type { IngestStatus } from '../../bridge/messages.ts'
import type { Facts } from './facts.ts'

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
