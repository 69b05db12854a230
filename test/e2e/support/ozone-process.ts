// A real Ozone in a process of its own, which real-labelers.ts spawns and tells what to label. Its moderators' interface
// is used as its browser application does; nothing else of the network exists for it.

import { Database, envToCfg, envToSecrets, OzoneService } from '@atproto/ozone'
import type { LabelOrder } from './real-labelers.ts'

const ADMIN_PASSWORD = 'password'
const { LABELER_DID, LABELER_KEY, LABELER_DATA, LABELER_PORT, LABELER_PLC, LABELER_POSTGRES } =
  process.env as Record<string, string>
const origin = `http://127.0.0.1:${LABELER_PORT}`

const env = {
  devMode: true,
  version: '0.0.0',
  port: Number(LABELER_PORT),
  publicUrl: origin,
  serverDid: LABELER_DID!,
  signingKeyHex: LABELER_KEY!,
  dbPostgresUrl: LABELER_POSTGRES!,
  dbPostgresSchema: LABELER_DATA!,
  appviewUrl: 'http://127.0.0.1:9',
  appviewDid: 'did:web:appview.test',
  didPlcUrl: LABELER_PLC!,
  adminPassword: ADMIN_PASSWORD,
  adminDids: [],
  moderatorDids: [],
  triageDids: [],
}

const database = new Database({ url: LABELER_POSTGRES!, schema: LABELER_DATA! })
await database.migrateToLatestOrThrow()
await database.close()
const settings = envToCfg(env as never)
const server = await OzoneService.create(settings, envToSecrets(env as never), {})
await server.start()

process.on('message', (label: LabelOrder) => void say(label).then(() => process.send?.('done')))
process.on('disconnect', () => process.exit(0))
process.send?.('up')

async function say({ uri, cid, val, neg, hours }: LabelOrder): Promise<void> {
  const subject = uri.startsWith('did:')
    ? { $type: 'com.atproto.admin.defs#repoRef', did: uri }
    : { $type: 'com.atproto.repo.strongRef', uri, cid }
  const event = {
    $type: 'tools.ozone.moderation.defs#modEventLabel',
    createLabelVals: neg ? [] : [val],
    negateLabelVals: neg ? [val] : [],
    ...(hours !== undefined && { durationInHours: hours }),
  }
  const answer = await fetch(`${origin}/xrpc/tools.ozone.moderation.emitEvent`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`,
    },
    body: JSON.stringify({ event, subject, createdBy: LABELER_DID }),
  })
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
}
