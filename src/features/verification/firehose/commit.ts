// Whether a commit is what its account signed: the signature by its key, the blocks by their CIDs, and the
// operations by the tree, undone until the root of the commit before appears (sync 1.1). Spec:
// https://atproto.com/specs/sync#commit-validation-mst-operation-inversion, https://atproto.com/specs/repository

import type { CommitEvent } from '@slipstream/jetstream'
import { cidAt } from '../../../base/atproto/keys.ts'
import type { JsonObject } from '../../../base/util/json-object.ts'
import { SIGNATURE_BYTES, type VerifyingKey } from '../../../sources/identity/verifying-key.ts'
import { type Blocks, readBlocks } from './blocks.ts'
import type { CommitFrame, RepoOp, SyncFrame } from './frame.ts'
import { Tree, TreeError } from './tree.ts'

export type FailureReason =
  /** No CAR file, or one without the commit. */
  | 'bad-blocks'
  | 'wrong-account'
  | 'wrong-rev'
  | 'bad-signature'
  /** The tree does not have what the operations say. */
  | 'wrong-operation'
  /** Undone, the operations do not lead to the tree that was there before. */
  | 'wrong-tree'
  /** A record is missing, or is not what its CID says. */
  | 'wrong-record'

/** CIDs are their 36 bytes as latin1 text. */
export type SignedCommit = { did: string; rev: string; data: string; root: string }

/** The bytes of `"sig": ` and the head of its 64 bytes. */
const SIG_KEY_BYTES = 4 + 2
const MAP = 0xa0

/** @returns the commit, if this key signed it. */
export function signedCommit(blocks: Blocks, key: VerifyingKey): SignedCommit | FailureReason {
  const bytes = blocks.bytes(blocks.root)
  const commit = bytes && blocks.node(blocks.root)
  if (!bytes || !commit) return 'bad-blocks'
  const { did, rev, data, sig } = commit
  if (typeof did !== 'string' || typeof rev !== 'string' || typeof data !== 'string') {
    return 'bad-blocks'
  }
  if (!Buffer.isBuffer(sig) || sig.length !== SIGNATURE_BYTES) return 'bad-signature'
  const isSigned = key.verify(unsignedBytes(bytes, commit, sig), sig)
  return isSigned ? { did, rev, data, root: blocks.root } : 'bad-signature'
}

/** The commit's bytes without `sig`, which the decoder has shown to be in their one form. */
function unsignedBytes(bytes: Buffer, commit: JsonObject, sig: Buffer): Buffer {
  const from = sig.byteOffset - bytes.byteOffset
  const unsigned = Buffer.allocUnsafe(bytes.length - SIG_KEY_BYTES - SIGNATURE_BYTES)
  unsigned[0] = MAP | (Object.keys(commit).length - 1)
  bytes.copy(unsigned, 1, 1, from - SIG_KEY_BYTES)
  bytes.copy(unsigned, from - SIG_KEY_BYTES, from + SIGNATURE_BYTES)
  return unsigned
}

/** `prevRev` and `prevData`: of the account's last commit, if it is known. */
export type Before = { rev: string; data: string }

type Verified = {
  events: CommitEvent[]
  after: Before
  /** Whether commits between this one and the last known one are missing. */
  isBroken: boolean
}

/** Verifies a commit and makes its events. */
export function verifyCommit(
  frame: CommitFrame,
  key: VerifyingKey,
  before: Before | undefined,
): Verified | FailureReason {
  const blocks = readBlocks(frame.blocks)
  if (!blocks || blocks.root !== frame.commit) return 'bad-blocks'
  const commit = signedCommit(blocks, key)
  if (typeof commit === 'string') return commit
  if (commit.did !== frame.did) return 'wrong-account'
  if (commit.rev !== frame.rev || (before && commit.rev <= before.rev)) return 'wrong-rev'
  const wrong = wrongIn(blocks, commit, frame)
  if (wrong) return wrong
  const events = eventsOf(frame, blocks)
  if (typeof events === 'string') return events
  const isBroken = isBehind(frame, before)
  return { events, after: { rev: commit.rev, data: commit.data }, isBroken }
}

/** A signed sync message: the account's commit, without its operations. */
export function verifySync(frame: SyncFrame, key: VerifyingKey): Before | FailureReason {
  const blocks = readBlocks(frame.blocks)
  if (!blocks) return 'bad-blocks'
  const commit = signedCommit(blocks, key)
  if (typeof commit === 'string') return commit
  if (commit.did !== frame.did) return 'wrong-account'
  return commit.rev === frame.rev ? { rev: commit.rev, data: commit.data } : 'wrong-rev'
}

/** Of an account that is not verified: the records are what their CIDs say, no more. */
export function unverifiedEvents(frame: CommitFrame): CommitEvent[] | FailureReason {
  const blocks = readBlocks(frame.blocks)
  return blocks ? eventsOf(frame, blocks) : 'bad-blocks'
}

function isBehind({ prevData }: CommitFrame, before: Before | undefined): boolean {
  return before !== undefined && prevData !== undefined && before.data !== prevData
}

function wrongIn(
  blocks: Blocks,
  { data }: SignedCommit,
  { ops, prevData }: CommitFrame,
): FailureReason | undefined {
  try {
    const tree = new Tree(blocks, data)
    if (prevData === undefined)
      return ops.every((op) => shows(tree, op)) ? undefined : 'wrong-operation'
    for (const op of ops.toReversed()) undo(tree, op)
    return tree.root() === prevData ? undefined : 'wrong-tree'
  } catch (error) {
    if (error instanceof TreeError) return 'wrong-operation'
    throw error
  }
}

/** From hosts that do not say what was before, only the tree after the commit can be checked. */
function shows(tree: Tree, { collection, rkey, cid }: RepoOp): boolean {
  return tree.get(`${collection}/${rkey}`) === cid
}

function undo(tree: Tree, { action, collection, rkey, cid, prev }: RepoOp): void {
  const key = `${collection}/${rkey}`
  if (action === 'create') return tree.remove(key, cid!)
  if (prev === undefined) throw new TreeError('an operation without what was before')
  if (action === 'update') tree.replace(key, { from: cid!, to: prev })
  else tree.insert(key, prev)
}

function eventsOf(frame: CommitFrame, blocks: Blocks): CommitEvent[] | FailureReason {
  const { did, seq, timeUs, rev } = frame
  const events: CommitEvent[] = []
  for (const { action, collection, rkey, cid } of frame.ops) {
    const base = { did, timeUs, seq, kind: 'commit', rev, collection, rkey } as const
    if (action === 'delete') {
      events.push({ ...base, operation: action })
      continue
    }
    const record = blocks.record(cid!)
    if (!record) return 'wrong-record'
    events.push({ ...base, operation: action, cid: spelt(cid!), record })
  }
  return events
}

/** In base32, as everywhere else. */
function spelt(cid: string): string {
  return cidAt(Buffer.from(cid, 'latin1'), 0) ?? ''
}
