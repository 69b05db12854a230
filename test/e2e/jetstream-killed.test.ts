// kill -9 of the real Jetstream server in mid-stream, repeatedly at random moments, while people write. It
// loses the events that it had not saved, and after the restart reuses their numbers. A reader that had the
// lost events, or none of them, must still end up with everything. SLIPSTREAM_E2E_KILLS sets the number of
// kills.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { createRandom } from '../support/random.ts'
import { testSeed } from '../support/seed.ts'
import { type Account, createAccount, follow, post } from './support/account.ts'
import { freePort } from './support/free-port.ts'
import { isGoPresent } from './support/go-build.ts'
import { type JetstreamServer, startJetstreamServer } from './support/jetstream.ts'
import { CONFIGURED_APPVIEW_DID, type Network, startNetwork } from './support/network.ts'
import { fullTimeline } from './support/reading.ts'
import { createSlipstream, type Slipstream } from './support/slipstream.ts'

const SEED = testSeed('kill -9 of the Jetstream server')
const KILLS = Number(process.env['SLIPSTREAM_E2E_KILLS'] ?? 4)
const WRITERS = 4
const LOG_TAIL = 12_000
const LONGEST_RUN_MS = 1_500
const LONGEST_PAUSE_MS = 400

const random = createRandom(SEED)
const hasGo = await isGoPresent()

type World = {
  network: Network
  jetstream: JetstreamServer
  slipstream: Slipstream
  reader: Account
  writers: Account[]
}

let world: World

beforeAll(async () => {
  if (!hasGo) return
  const port = await freePort()
  const network = await startNetwork(port)
  const appViewDid = `did:web:localhost%3A${port}`
  const person = (name: string) => createAccount(network, { name, appViewDid })
  const jetstream = await startJetstreamServer(network)
  const slipstream = createSlipstream(port, {
    ...jetstream.settings,
    SLIPSTREAM_PLC_URL: network.plcUrl,
    SLIPSTREAM_ALT_AUDIENCES: CONFIGURED_APPVIEW_DID,
  })
  const writers: Account[] = []
  for (let i = 0; i < WRITERS; i++) writers.push(await person('writer'))
  const reader = await person('reader')
  for (const writer of writers) await follow(reader, writer)
  world = { network, jetstream, slipstream, reader, writers }
  await slipstream.start()
})

afterEach(({ task }) => {
  if (task.result?.state !== 'fail') return
  console.error(world.slipstream.log().slice(-LOG_TAIL))
  console.error(world.jetstream.output().slice(-LOG_TAIL))
})

afterAll(async () => {
  await world?.slipstream.dispose()
  await world?.jetstream.stop()
  await world?.network.stop()
})

/**
 * All writers post at once, one post after another.
 * @returns a function that stops them and returns the posts
 */
function startWriting(writers: readonly Account[]): () => Promise<string[]> {
  const uris: string[] = []
  let isOver = false
  const writing = writers.map(async (writer, i) => {
    for (let k = 0; !isOver; k++) {
      uris.push((await post(writer, `${k} by ${i}`)).uri)
      await sleep(random.below(30))
    }
  })
  return async () => {
    isOver = true
    await Promise.all(writing)
    return uris
  }
}

const visible = async (reader: Account) =>
  (await fullTimeline(reader, 100)).map((item) => item.post.uri).sort()

/**
 * The loss is noticed when an event arrives; posts written before it listens again may be missing
 * from the stream.
 */
function isListening(log: string): boolean {
  const lost = ['stream lost', 'waiting for a Jetstream host'].map((what) => log.lastIndexOf(what))
  return log.lastIndexOf('stream connected') > Math.max(...lost)
}

test.skipIf(!hasGo)(`no post is lost over ${KILLS} × kill -9 of the Jetstream server`, async () => {
  const { jetstream, reader, writers, slipstream } = world
  await eventually(() => visible(reader))
  const stopWriting = startWriting(writers)
  for (let i = 0; i < KILLS; i++) {
    await sleep(random.below(LONGEST_RUN_MS))
    await jetstream.killAndRestart(random.below(LONGEST_PAUSE_MS))
  }
  const written = await stopWriting()
  await eventually(() => expect(isListening(slipstream.log())).toBe(true))
  for (const writer of writers) written.push((await post(writer, 'after all that')).uri)
  const connections = slipstream.log().split('stream connected').length - 1
  console.info(`${written.length} posts were written over ${connections} connections`)
  // On a retry, the posts of the first attempt exist as well.
  const isWritten = (uri: string) => written.includes(uri)
  await eventually(async () =>
    expect((await visible(reader)).filter(isWritten)).toEqual(written.toSorted()),
  )
})
