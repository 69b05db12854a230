// A social world (social-world.ts) on disk, served by Slipstream in its own process, with a PLC directory
// that has its viewers' keys, and a Jetstream double to follow.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MINUTE_MS, SECOND_MS } from '../../src/base/util/durations.ts'
import {
  createJetstreamDouble,
  type JetstreamDouble,
} from '../../test/support/jetstream-double/double.ts'
import { createSyntheticEvents } from '../../test/support/jetstream-double/synthetic-events.ts'
import { startPlcDouble } from '../../test/support/plc-double.ts'
import { createViewerKey, signServiceToken } from '../load/service-tokens.ts'
import { type RunningApp, runApp } from './running-app.ts'
import { openSeeder } from './seeding.ts'
import { createSocialWorld, type SocialWorld, type Viewer, type WorldSize } from './social-world.ts'
import { putDocuments } from './viewers-documents.ts'

export type ServedWorld = {
  readonly world: SocialWorld
  readonly app: RunningApp
  readonly double: JetstreamDouble
  readonly dataDir: string
  /** Mints a new token for the viewer and the method. */
  token(viewer: Viewer, lxm: string): string
  close(): Promise<void>
}

/** The world ends before now, so that a stream has something to catch up with. */
const AWAY_MS = 10 * MINUTE_MS

/** A server whose stream is silent for a minute connects again, and may be sent everything again. */
const SIGN_OF_LIFE_MS = 5 * SECOND_MS

export const SERVICE_DID = 'did:web:bench.test'

/**
 * @param settings - without their prefix
 * @param isSearchable - fills the search index beforehand, which otherwise takes a fifth of a
 * thread for a while
 * @param popularMembers - this many of the most followed accounts are members too, with
 * notifications
 */
export async function serveWorld(
  size: WorldSize,
  settings: Record<string, string> = {},
  { isSearchable = false, popularMembers = 0 } = {},
): Promise<ServedWorld> {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-bench-'))
  const world = createSocialWorld(size, Date.now() - AWAY_MS)
  const seeder = openSeeder(dataDir, 'network')
  seeder.apply(world.events())
  seeder.addMembers(world.viewers.map(({ did }) => did))
  seeder.addMembers(world.popular.slice(0, popularMembers))
  seeder.finish({ isSearchable })

  const plc = await startPlcDouble()
  const double = await createJetstreamDouble({ recordSent: false, retain: 500_000 })
  const keys = new Map(world.viewers.map(({ did }) => [did, createViewerKey(did)]))
  putDocuments(plc, [...keys.keys()], (did) => keys.get(did)!)
  const app = await runApp({
    dataDir,
    env: {
      PLC_URL: plc.url,
      JETSTREAM_HOSTS: double.url,
      SERVICE_DID,
      ALLOW_PRIVATE_HOSTS: 'on',
      INDEX_SCOPE: 'community',
      ...settings,
    },
  })
  const strangers = createSyntheticEvents(5, Date.now() * 1000)
  const signs = setInterval(
    () => double.emit({ ...strangers.next(), timeUs: Date.now() * 1000 }),
    SIGN_OF_LIFE_MS,
  )
  return {
    world,
    app,
    double,
    dataDir,
    token: ({ did }, lxm) => signServiceToken(keys.get(did)!, { aud: SERVICE_DID, lxm }),
    close: async () => {
      clearInterval(signs)
      await app.stop()
      await double.close()
      await plc.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
