// Stands in for @atproto/dev-env in the reference's own tests (vitest-config.ts): the same test network, but its
// AppView is answered by Slipstream. The reference's Postgres stays beside it, since tests write labels and trusted
// verifiers there: mirror.ts hands those on. Nothing else is read from it.

import fs from 'node:fs/promises'
import { join } from 'node:path'
import * as real from '@atproto/dev-env'
import { freePort } from '../support/free-port.ts'
import { createDatabaseFace } from './database.ts'
import { LABELER_STAND_IN, startLabelers } from './labels.ts'
import { type Mirror, startMirror } from './mirror.ts'
import { startProxy } from './proxy.ts'
import { type Ours, startOurs } from './slipstream.ts'
import { until } from './until.ts'

export * from '@atproto/dev-env'

/** `own`: the reference alone, to tell what fails there, too. */
const FACE = process.env['REFERENCE_SUITE_FACE'] ?? 'xrpc'

// The package lacks the pictures that its own seeds upload.
const PICTURES = /^.*dev-env\/(assets\/[a-z-]+\.jpg)$/
const readFile = fs.readFile
fs.readFile = ((path: unknown, ...rest: never[]) => {
  const [, asset] = (typeof path === 'string' && PICTURES.exec(path)) || []
  const packages = join(process.env['REFERENCE_SUITE_DIR']!, 'packages')
  return readFile(asset ? join(packages, 'dev-env', asset) : (path as string), ...rest)
}) as typeof readFile

type BskyConfig = Parameters<typeof real.TestBsky.create>[0]
type Dependencies = { ours: Ours; mirror: Mirror }

const partsOf = new WeakMap<real.TestBsky, Dependencies>()
const createReference = real.TestBsky.create.bind(real.TestBsky)

if (FACE !== 'own') real.TestBsky.create = createOnOurs

export class TestNetwork extends real.TestNetwork {
  static override async create(
    params: Parameters<typeof real.TestNetwork.create>[0] = {},
  ): Promise<TestNetwork> {
    const network = await real.TestNetwork.create(params)
    Object.setPrototypeOf(network, TestNetwork.prototype)
    return network as TestNetwork
  }

  /** Accounts read here from their beginning, as all do in the reference. */
  override getSeedClient(): real.SeedClient<this> {
    const client = super.getSeedClient()
    const create = client.createAccount.bind(client)
    client.createAccount = async (...params) => {
      const account = await create(...params)
      await this.comesFirst(account.did)
      return account
    }
    return client
  }

  private async comesFirst(did: string): Promise<void> {
    const { ours } = partsOf.get(this.bsky) ?? {}
    if (!ours) return
    const method = 'app.bsky.notification.getUnreadCount'
    await until(async () => {
      const headers = await this.serviceHeaders(did, method)
      return (await fetch(`${ours.origin}/xrpc/${method}`, { headers })).ok
    })
  }

  override async processAll(timeout?: number): Promise<void> {
    await super.processAll(timeout)
    await partsOf.get(this.bsky)?.ours.catchUp(await this.pds.ctx.sequencer.curr())
  }
}

async function createOnOurs(cfg: BskyConfig): Promise<real.TestBsky> {
  const labelers = await startLabelers()
  const dataplanePort = await freePort()
  const dataplaneUrl = `http://127.0.0.1:${dataplanePort}`
  // Tests read these; only a frontend that answers needs the stand-in's name.
  const labelsFromIssuerDids = (cfg.labelsFromIssuerDids ?? []).map((did: string) =>
    FACE === 'dataplane' && did === real.EXAMPLE_LABELER ? LABELER_STAND_IN() : did,
  )
  const { redisHost: _, ...withoutRedis } = cfg
  const bsky = await createReference({
    ...withoutRedis,
    labelsFromIssuerDids,
    dataplaneUrls: [dataplaneUrl],
    bsyncUrl: dataplaneUrl,
    searchUrl: dataplaneUrl,
  } as unknown as BskyConfig)
  const ours = await startOurs({ cfg, serverDid: bsky.serverDid, dataplanePort, labelers })
  const mirror = startMirror({ bsky, db: bsky.db.db, ours, labelers })
  const target = FACE === 'dataplane' ? bsky.url : ours.origin
  const proxy = await startProxy({
    target,
    before: mirror.bringUp,
    operatorToken: ours.operatorToken,
  })
  const close = bsky.close.bind(bsky)
  Object.assign(bsky, {
    url: proxy.url,
    db: createDatabaseFace(bsky.db, mirror),
    async close() {
      await proxy.close()
      await ours.dispose()
      await labelers.close()
      await close()
    },
  })
  partsOf.set(bsky, { ours, mirror })
  return bsky
}
