// The official AppView's frontend (@atproto/bsky) in a separate process, over a dataplane named in the
// environment, without Redis, feature gates or telemetry, none of which it needs. If a Postgres is named too,
// its own dataplane and indexer run beside it and follow a PDS; private state reaches them by bsync.

import {
  BskyAppView,
  BsyncSubscription,
  Database,
  DataPlaneServer,
  RepoSubscription,
  ServerConfig,
} from '@atproto/bsky'
import { Secp256k1Keypair } from '@atproto/crypto'
import { OFFICIAL_ADMIN_PASSWORD } from './official-appview.ts'

const env = (name: string) => process.env[`E2E_${name}`]!
const port = Number(env('OFFICIAL_PORT'))
const media = env('MEDIA_ORIGIN')
const postgresUrl = env('POSTGRES_URL')
const own = postgresUrl ? await startOwn() : undefined

const config = new ServerConfig({
  version: 'unknown',
  port,
  didPlcUrl: env('PLC_URL'),
  publicUrl: `http://localhost:${port}`,
  serverDid: env('SERVER_DID'),
  alternateAudienceDids: [],
  dataplaneUrls: [own?.url ?? env('DATAPLANE_URL')],
  dataplaneHttpVersion: own ? '1.1' : env('DATAPLANE_HTTP'),
  bsyncUrl: env('DATAPLANE_URL'),
  bsyncHttpVersion: env('DATAPLANE_HTTP'),
  searchUrl: own ? undefined : env('DATAPLANE_URL'),
  cdnUrl: `${media}/img`,
  videoPlaylistUrlPattern: `${media}/vid/%s/%s/playlist.m3u8`,
  videoThumbnailUrlPattern: `${media}/vid/%s/%s/thumbnail.jpg`,
  modServiceDid: 'did:example:moderation',
  labelsFromIssuerDids: [],
  bigThreadUris: new Set(),
  maxThreadParents: 50,
  disableSsrfProtection: true,
  searchTagsHide: new Set(),
  searchTagsHideAll: new Set(),
  threadTagsBumpDown: new Set(),
  threadTagsHide: new Set(),
  visibilityTagHide: '',
  visibilityTagRankPrefix: '',
  debugFieldAllowedDids: new Set(),
  draftsLimit: 500,
  feedGenSkeletonTimeout: 5_000,
  adminPasswords: [OFFICIAL_ADMIN_PASSWORD],
  etcdHosts: [],
} as never)

const server = BskyAppView.create({ config, signingKey: await Secp256k1Keypair.create() })
await server.start()
own?.follow()
process.send?.('up')
process.on('disconnect', () => process.exit(0))

async function startOwn() {
  const migrating = new Database({ url: postgresUrl, schema: 'bsky' })
  await migrating.migrateToLatestOrThrow()
  await migrating.close()
  const db = new Database({ url: postgresUrl, schema: 'bsky', poolSize: 10 })
  const dataplanePort = Number(env('OWN_DATAPLANE_PORT'))
  const plcUrl = env('PLC_URL')
  const dataplane = await DataPlaneServer.create(db, dataplanePort, plcUrl, globalThis.fetch)
  // Only the PDS knows the handles of the test's accounts.
  dataplane.idResolver.handle.resolve = async (handle) => {
    const url = `${env('PDS_URL')}/xrpc/com.atproto.identity.resolveHandle?handle=${handle}`
    const response = await fetch(url)
    return response.ok ? ((await response.json()) as { did: string }).did : undefined
  }
  return {
    url: `http://localhost:${dataplanePort}`,
    follow() {
      new BsyncSubscription({ config, db }).start()
      const service = env('PDS_URL').replace('http', 'ws')
      void new RepoSubscription({ service, db, idResolver: dataplane.idResolver }).start()
    },
  }
}
