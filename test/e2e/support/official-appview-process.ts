// The official AppView's frontend (@atproto/bsky) in a process of its own, over a dataplane that is named in the
// environment. Without Postgres, Redis, feature gates or telemetry, none of which it needs.

import { BskyAppView, ServerConfig } from '@atproto/bsky'
import { Secp256k1Keypair } from '@atproto/crypto'
import { OFFICIAL_ADMIN_PASSWORD } from './official-appview.ts'

const env = (name: string) => process.env[`E2E_${name}`]!
const port = Number(env('OFFICIAL_PORT'))
const media = env('MEDIA_ORIGIN')

const config = new ServerConfig({
  version: 'unknown',
  port,
  didPlcUrl: env('PLC_URL'),
  publicUrl: `http://localhost:${port}`,
  serverDid: env('SERVER_DID'),
  alternateAudienceDids: [],
  dataplaneUrls: [env('DATAPLANE_URL')],
  dataplaneHttpVersion: env('DATAPLANE_HTTP'),
  bsyncUrl: env('DATAPLANE_URL'),
  bsyncHttpVersion: env('DATAPLANE_HTTP'),
  searchUrl: env('DATAPLANE_URL'),
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
process.send?.('up')
process.on('disconnect', () => process.exit(0))
