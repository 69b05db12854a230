// A repository whose history was written anew, under the same account and key: what follows on the new history counts, and
// the account is compared with its server.

import { Secp256k1Keypair } from '@atproto/crypto'
import { expect, test } from 'vitest'
import {
  decodeFrame,
  type RepoFrame,
} from '../../../../src/features/verification/firehose/frame.ts'
import { createJudge, type Verdict } from '../../../../src/features/verification/firehose/judge.ts'
import { verifyingKey } from '../../../../src/sources/identity/verifying-key.ts'
import { signerWith } from '../../../support/signing.ts'
import { createRepository } from '../../../support/simulated-network/repository.ts'
import { createSignedStream, frameOf } from '../../../support/torture/signed-stream.ts'

const POST = 'app.bsky.feed.post'
const BEGAN_MS = Date.UTC(2026, 10, 1)
const did = 'did:plc:rebasedaaaaaaaaaaaaaaaaa'
const keypair = await Secp256k1Keypair.create({ exportable: true })
const sign = await signerWith(keypair)
const key = verifyingKey(keypair.did())

/** One history of the account, with this many posts so far. */
function historyWith(posts: number, text: string, beganMs = BEGAN_MS) {
  const repository = createRepository({ did, handle: 'rebased.test', clockId: 7 })
  let atMs = beganMs
  const write = () =>
    repository.put({
      collection: POST,
      value: { text, createdAt: '2026-11-01T00:00:00Z' },
      atMs: ++atMs,
    })
  for (let i = 0; i < posts; i++) write()
  const stream = createSignedStream({ repositories: [repository] }, new Map([[did, sign]]))
  const frame = (event: Parameters<typeof stream.sign>[0]): RepoFrame => {
    stream.sign(event)
    return decodeFrame(frameOf(stream.bodyOf(event), { seq: 1, timeUs: atMs * 1000 })) as RepoFrame
  }
  return {
    commit: () => frame(write()),
    sync: () => frame({ kind: 'sync', did, rev: repository.rev }),
  }
}

function startJudge() {
  const keys = {
    peek: () => key,
    get: async () => key,
    renew: async () => key,
    forget: () => undefined,
  }
  const judge = createJudge({ keys, verifies: () => true })
  return (frame: RepoFrame) => judge.judge(frame) as Verdict
}

const brought = ({ events }: Verdict) => events.map(({ kind }) => kind)

test('a commit of another history counts, and the account is compared, once', () => {
  const judge = startJudge()
  const before = historyWith(3, 'before')
  judge(before.commit())
  expect(judge(before.commit())).not.toHaveProperty('isIncomplete')
  const rebased = historyWith(2, 'anew', BEGAN_MS + 1_000)
  const first = judge(rebased.commit())
  expect([brought(first), first.isIncomplete]).toEqual([['commit'], true])
  const second = judge(rebased.commit())
  expect([brought(second), second.isIncomplete]).toEqual([['commit'], undefined])
})

test.each([
  ['later', 1_000],
  ['earlier', -1_000],
])(
  'a #sync tells of another history with a %s revision: what follows on it is whole',
  (_, byMs) => {
    const judge = startJudge()
    judge(historyWith(3, 'before').commit())
    const rebased = historyWith(2, 'anew', BEGAN_MS + byMs)
    expect(judge(rebased.sync())).toMatchObject({ events: [{ kind: 'sync', did }] })
    const next = judge(rebased.commit())
    expect([brought(next), next.isIncomplete]).toEqual([['commit'], undefined])
  },
)

test('what follows on the history from before a #sync has the account compared again', () => {
  const judge = startJudge()
  const before = historyWith(3, 'before', BEGAN_MS + 2_000)
  judge(before.commit())
  judge(historyWith(2, 'anew').sync())
  const next = judge(before.commit())
  expect([brought(next), next.isIncomplete]).toEqual([['commit'], true])
})
