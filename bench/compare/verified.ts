// Verified commits a second, in turns with the reference's own consumer (@atproto/sync with @atproto/repo): the
// same frames of a real PDS, from bytes to records, keys known. Ours also undoes the operations (sync 1.1).
// `node bench/compare/verified.ts FRAMES [ROUNDS]`; frames are made by test/e2e/record-frames.ts.

import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { collections } from '../../src/base/atproto/collections.ts'
import { decodeFrame } from '../../src/features/verification/firehose/frame.ts'
import { createJudge } from '../../src/features/verification/firehose/judge.ts'
import { verifyingKey } from '../../src/sources/identity/verifying-key.ts'
import {
  RECORDED,
  type RecordedFrames,
  recordedFrames,
} from '../../test/support/recorded-frames.ts'

type Contestant = { name: string; run(recorded: RecordedFrames): Promise<number> }

const [, , file = RECORDED, rounds = '5'] = process.argv
const wanted = new Set<string>(collections)

const ours: Contestant = {
  name: 'Slipstream',
  async run({ frames, keys }) {
    const peek = (did: string) => (keys[did] ? verifyingKey(keys[did]) : undefined)
    const get = async (did: string) => peek(did)
    const known = { peek, get, renew: get, forget: () => undefined }
    const judge = createJudge({ keys: known, verifies: () => true })
    let events = 0
    for (const frame of frames) {
      const message = decodeFrame(frame)
      if (typeof message === 'string' || !('kind' in message) || message.kind !== 'commit') continue
      events += (await judge.judge(message)).events.length
    }
    return events
  },
}

const reference: Contestant = { name: '@atproto/sync', run: await loadReference() }

async function loadReference(): Promise<Contestant['run']> {
  const require = createRequire(join(import.meta.dirname, '../../test/e2e/package.json'))
  const load = (name: string) => import(pathToFileURL(require.resolve(name)).href)
  const { parseCommitAuthenticated } = await load('@atproto/sync')
  const { Frame } = await load('@atproto/xrpc-server')
  return async ({ frames, keys }) => {
    const resolver = { did: { resolveAtprotoKey: async (did: string) => keys[did] } }
    let events = 0
    for (const bytes of frames) {
      const frame = Frame.fromBytes(bytes)
      if (frame.header.t !== '#commit') continue
      const isWanted = (collection: string) => wanted.has(collection)
      events += (await parseCommitAuthenticated(resolver, frame.body, isWanted)).length
    }
    return events
  }
}

async function measure({ run }: Contestant, recorded: RecordedFrames) {
  const began = process.cpuUsage()
  const events = await run(recorded)
  const { user, system } = process.cpuUsage(began)
  return { events, seconds: (user + system) / 1e6 }
}

const recorded = recordedFrames(file)
const best = new Map<string, number>()
for (let round = 0; round < Number(rounds); round++) {
  for (const contestant of [ours, reference]) {
    const { events, seconds } = await measure(contestant, recorded)
    const rate = recorded.frames.length / seconds
    best.set(contestant.name, Math.max(best.get(contestant.name) ?? 0, rate))
    console.log(
      `${contestant.name}: ${events} events, ${Math.round(rate)} commits/s of processor time`,
    )
  }
}
const [mine, theirs] = [best.get(ours.name)!, best.get(reference.name)!]
console.log(
  `best rounds: ${Math.round(mine)} and ${Math.round(theirs)}, ${(mine / theirs).toFixed(1)} times`,
)
