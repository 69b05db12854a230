// Pinned media on the first tab of the explore page.

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadConfig } from '../../../src/base/config/config.ts'
import { createPinnedFiles } from '../../../src/features/media/pins/pinned-files.ts'
import { overview } from '../../../src/features/pages/explore/overview.ts'
import { serveFeatures as features } from '../../support/feature-parts.ts'
import { createServingWorld, type ServingWorld } from '../../support/serving-world.ts'

const quiet = { debug: () => undefined, warn: () => undefined }

let world: ServingWorld
let dataDir: string

beforeEach(() => {
  world = createServingWorld()
  dataDir = mkdtempSync(join(tmpdir(), 'slipstream-overview-'))
})
afterEach(() => world.dispose())

async function rowOf(name: string, settings: Record<string, string> = {}) {
  const config = { ...loadConfig(settings, '/nowhere'), dataDir }
  const rows = await overview({ db: world.reader, config, features, status: () => undefined })
  return rows.find((row) => row.name === name)
}

test('pinned media is shown if enabled: full, missing or complete', async () => {
  const pins = createPinnedFiles({ dataDir, log: quiet })
  const settings = { SLIPSTREAM_MEDIA_PIN: 'members', SLIPSTREAM_VIDEOS: 'own' }
  const status = { files: 1, bytes: 5_000_000, missing: 0, isFull: false }
  await pins.tell(status)
  expect(await rowOf('Pinned media')).toBeUndefined()
  expect(await rowOf('Pinned media', settings)).toMatchObject({
    level: 'good',
    text: /^5\.0 MB of/,
  })
  await pins.tell({ ...status, missing: 2 })
  expect(await rowOf('Pinned media', settings)).toMatchObject({
    level: 'notice',
    text: expect.stringContaining('2 blobs'),
  })
  await pins.tell({ ...status, isFull: true, missing: 2 })
  expect(await rowOf('Pinned media', settings)).toMatchObject({
    level: 'bad',
    text: expect.stringContaining('PIN_MB'),
  })
})
