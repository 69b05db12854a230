// A real @skyware/labeler in a process of its own, which real-labelers.ts spawns and tells what to label.

import { LabelerServer } from '@skyware/labeler'
import type { LabelOrder } from './real-labelers.ts'

const HOUR_MS = 3_600_000
const { LABELER_DID, LABELER_KEY, LABELER_DATA, LABELER_PORT } = process.env as Record<
  string,
  string
>

const server = new LabelerServer({
  did: LABELER_DID as `did:plc:${string}`,
  signingKey: LABELER_KEY!,
  dbPath: LABELER_DATA!,
})

process.on('message', ({ hours, ...label }: LabelOrder) => {
  const exp =
    hours === undefined ? {} : { exp: new Date(Date.now() + hours * HOUR_MS).toISOString() }
  void server.createLabel({ ...label, ...exp } as never).then(() => process.send?.('done'))
})
process.on('disconnect', () => process.exit(0))
server.start({ host: '127.0.0.1', port: Number(LABELER_PORT) }, () => process.send?.('up'))
