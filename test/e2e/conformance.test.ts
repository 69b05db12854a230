// Conformance of every registered method, over a separate network: PLC, PDS and Slipstream as processes,
// seeded once (conformance/seed.ts). Uses only the Jetstream double, because real-network.test.ts tests the
// other wires into the index.

import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { conformanceChapter } from './conformance/chapter.ts'
import { startWorld, type World } from './support/world.ts'

const LOGGED = 5

describe('conformance', () => {
  let world: World

  beforeAll(async () => {
    const started = await startWorld('double', async () => undefined)
    world = started.world
  })

  afterEach(({ task }) => {
    if (task.result?.state !== 'fail') return
    const trouble = world?.slipstream
      .log()
      .split('\n')
      .filter((line) => /"level":[56]0/.test(line))
    if (trouble?.length) console.error(`Slipstream’s errors:\n${trouble.slice(-LOGGED).join('\n')}`)
  })

  afterAll(() => world?.stop())

  conformanceChapter(() => world)
})
