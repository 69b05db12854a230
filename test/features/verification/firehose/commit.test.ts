// Commits as a real PDS sent them, verified; and the same with every kind of forgery.

import { createHash } from 'node:crypto'
import { Secp256k1Keypair } from '@atproto/crypto'
import { encode } from '@atproto/lex-cbor'
import { expect, test } from 'vitest'
import {
  type Before,
  type FailureReason,
  verifyCommit,
  verifySync,
} from '../../../../src/features/verification/firehose/commit.ts'
import {
  type CommitFrame,
  decodeFrame,
  type SyncFrame,
} from '../../../../src/features/verification/firehose/frame.ts'
import { verifyingKey } from '../../../../src/sources/identity/verifying-key.ts'
import { createRandom } from '../../../support/random.ts'
import { recordedFrames } from '../../../support/recorded-frames.ts'
import { testSeed } from '../../../support/seed.ts'

const { frames, keys } = recordedFrames()
const messages = frames.map((frame) => decodeFrame(frame))
const commits = messages.filter(
  (message): message is CommitFrame =>
    typeof message === 'object' && 'kind' in message && message.kind === 'commit',
)
const key = (did: string) => verifyingKey(keys[did]!)

test('every commit of a real PDS holds, and each follows on the one before', () => {
  const last = new Map<string, Before>()
  const seen = new Set<string>()
  for (const message of messages) {
    if (typeof message === 'string' || !('kind' in message)) throw new Error(`unread: ${message}`)
    seen.add(message.kind)
    if (message.kind === 'sync') {
      const after = verifySync(message, key(message.did))
      expect(after).toBeTypeOf('object')
      last.set(message.did, after as Before)
    }
    if (message.kind !== 'commit') continue
    const verified = verifyCommit(message, key(message.did), last.get(message.did))
    expect(verified).toMatchObject({ isBroken: false })
    if (typeof verified === 'string') continue
    expect(verified.events.map(({ operation }) => operation)).toEqual(
      message.ops.map(({ action }) => action),
    )
    last.set(message.did, verified.after)
  }
  expect(seen).toEqual(new Set(['identity', 'account', 'commit', 'sync']))
  const actions = new Set(commits.flatMap(({ ops }) => ops.map(({ action }) => action)))
  expect(actions).toEqual(new Set(['create', 'update', 'delete']))
  expect(commits.some(({ ops }) => ops.length > 1)).toBe(true)
})

test('a key that was rotated away signs nothing any more', async () => {
  const other = verifyingKey((await Secp256k1Keypair.create()).did())
  const sync = messages.find(
    (message) => typeof message === 'object' && 'kind' in message && message.kind === 'sync',
  )
  expect(verifyCommit(commits[0]!, other, undefined)).toBe('bad-signature')
  expect(verifySync(sync as SyncFrame, other)).toBe('bad-signature')
})

const created = commits.find(({ ops }) => ops.length === 1 && ops[0]!.action === 'create')!
const deleted = commits.find(({ ops }) => ops.length === 1 && ops[0]!.action === 'delete')!
const updated = commits.find(({ ops }) => ops.some(({ action }) => action === 'update'))!

function changed(commit: CommitFrame, op: object): CommitFrame {
  return { ...commit, ops: [{ ...commit.ops[0]!, ...op }] }
}

test.each<[string, FailureReason, CommitFrame]>([
  ['another account’s commit', 'wrong-account', { ...created, did: deleted.did }],
  ['another revision than the signed one', 'wrong-rev', { ...created, rev: '3zzzzzzzzzzzz' }],
  ['another commit’s blocks', 'bad-blocks', { ...created, blocks: deleted.blocks }],
  ['no blocks', 'bad-blocks', { ...created, blocks: Buffer.alloc(0) }],
  ['a key that was not written', 'wrong-operation', changed(created, { rkey: '3zzzzzzzzzzzz' })],
  ['a creation that is hidden', 'wrong-tree', { ...created, ops: [] }],
  ['a deletion of what was never there', 'wrong-tree', changed(deleted, { rkey: '3zzzzzzzzzzzz' })],
  [
    'a deletion said to be of another record',
    'wrong-tree',
    changed(deleted, { prev: created.ops[0]!.cid! }),
  ],
  ['an update said to be a creation', 'wrong-tree', changed(updated, { action: 'create' })],
  ['a record that is another', 'wrong-operation', changed(created, { cid: created.commit })],
])('refused: %s', (_what, reason, forged) => {
  const signer = reason === 'wrong-account' ? created.did : forged.did
  expect(verifyCommit(forged, key(signer), undefined)).toBe(reason)
})

test('a revision that is not later is refused, and a missing commit is noticed', () => {
  const [first, second] = commits.filter(({ did }) => did === created.did).slice(-2)
  const { after } = verifyCommit(first!, key(first!.did), undefined) as { after: Before }
  expect(verifyCommit(first!, key(first!.did), after)).toBe('wrong-rev')
  expect(verifyCommit(second!, key(second!.did), after)).toMatchObject({ isBroken: false })
  const older = { ...after, data: created.commit }
  expect(verifyCommit(second!, key(second!.did), older)).toMatchObject({ isBroken: true })
})

test('without prevData (sync 1.0), the operations must be in the signed tree', () => {
  for (const commit of commits) {
    const old = { ...commit, prevData: undefined }
    expect(verifyCommit(old, key(old.did), undefined)).toMatchObject({ isBroken: false })
  }
  const forged = { ...changed(created, { rkey: '3zzzzzzzzzzzz' }), prevData: undefined }
  expect(verifyCommit(forged, key(forged.did), undefined)).toBe('wrong-operation')
})

test('a byte that is flipped anywhere is never believed', () => {
  const random = createRandom(testSeed('flipped bytes of frames'))
  const known = new Map(commits.map((commit) => [`${commit.did} ${commit.rev}`, commit]))
  for (let i = 0; i < 2_000; i++) {
    const frame = Buffer.from(random.pick(frames))
    const at = random.below(frame.length)
    frame[at]! ^= 1 << random.below(8)
    const message = decodeFrame(frame)
    if (typeof message === 'string' || !('kind' in message) || message.kind !== 'commit') continue
    if (keys[message.did] === undefined) continue
    const verified = verifyCommit(message, key(message.did), undefined)
    if (typeof verified === 'string') continue
    // What no signature covers: seq, time, and blocks that nothing points at.
    const honest = known.get(`${message.did} ${message.rev}`)!
    const { events } = verifyCommit(honest, key(honest.did), undefined) as typeof verified
    const plain = (all: typeof events) =>
      all.map((commitEvent) => ({ ...commitEvent, seq: 0, timeUs: 0 }))
    expect(plain(verified.events)).toEqual(plain(events))
  }
})

test('hostile bytes are refused without an error', () => {
  const random = createRandom(testSeed('hostile frames'))
  const header = encode({ op: 1, t: '#commit' })
  for (let i = 0; i < 500; i++) {
    const noise = createHash('sha512').update(`${random.next()}`).digest()
    expect(decodeFrame(Buffer.concat([header, noise]))).toBeTypeOf('string')
    const commit = { ...created, blocks: noise }
    expect(verifyCommit(commit, key(created.did), undefined)).toBe('bad-blocks')
  }
})
