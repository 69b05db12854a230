// Asks an account's server what it signed: com.atproto.sync.getRecord proves a record, or that there is none;
// getLatestCommit and getRepo show what came after a revision. The answer is believed only if the account's
// current key signed it.

import { isIndexed } from '../../base/atproto/collections.ts'
import { cidAt } from '../../base/atproto/keys.ts'
import { isObject, parseJson } from '../../base/util/json-object.ts'
import type { GuardedFetch } from '../../sources/identity/guarded-fetch.ts'
import type { Resolver } from '../../sources/identity/resolver.ts'
import { commitOf } from './commit-of.ts'
import { type Blocks, readBlocks } from './firehose/blocks.ts'
import type { SignedCommit } from './firehose/commit.ts'
import type { AccountKeys } from './firehose/keys.ts'
import { Tree, TreeError } from './firehose/tree.ts'

export type ProofContext = {
  fetch: GuardedFetch
  resolver: Pick<Resolver, 'resolve'>
  keys: AccountKeys
}

/** `cid` in base32; undefined: the tree has no such key. */
type Proof = { rev: string; cid: string | undefined }

const LIMITS = { maxBytes: 2_000_000, timeoutMs: 10_000 }

/** @returns undefined if the server does not answer with a proof. */
export async function proveRecord(
  context: ProofContext,
  { did, collection, rkey }: { did: string; collection: string; rkey: string },
): Promise<Proof | undefined> {
  const query = new URLSearchParams({ did, collection, rkey })
  const car = await ask(context, did, `com.atproto.sync.getRecord?${query}`)
  const signed = car && (await signedIn(context, did, car))
  if (!signed) return undefined
  try {
    const cid = new Tree(signed.blocks, signed.commit.data).get(`${collection}/${rkey}`)
    return { rev: signed.commit.rev, cid: cid && cidAt(Buffer.from(cid, 'latin1'), 0) }
  } catch (error) {
    if (error instanceof TreeError) return undefined
    throw error
  }
}

/** The account's latest revision, by its server. */
export async function latestRev({ fetch, resolver }: ProofContext, did: string) {
  const body = await ask({ fetch, resolver }, did, `com.atproto.sync.getLatestCommit?did=${did}`)
  const answer = body && parseJson(body.toString())
  return isObject(answer) && typeof answer['rev'] === 'string' ? answer['rev'] : undefined
}

/** Whether records of kinds that are indexed here were written after `rev`, as the account signed it. */
export async function hasWrittenSince(context: ProofContext, did: string, rev: string) {
  const car = await ask(context, did, `com.atproto.sync.getRepo?did=${did}&since=${rev}`)
  const signed = car && (await signedIn(context, did, car))
  return signed?.blocks.some((record) => isIndexed(String(record['$type']))) ?? false
}

async function signedIn(
  { keys }: ProofContext,
  did: string,
  car: Buffer,
): Promise<{ blocks: Blocks; commit: SignedCommit } | undefined> {
  const blocks = readBlocks(car)
  const commit = blocks && (await commitOf(did, blocks, keys))
  return commit && { blocks, commit }
}

async function ask(
  { fetch, resolver }: Pick<ProofContext, 'fetch' | 'resolver'>,
  did: string,
  call: string,
): Promise<Buffer | undefined> {
  try {
    const identity = await resolver.resolve(did)
    if (!identity?.pds) return undefined
    const { status, body } = await fetch(`${identity.pds}/xrpc/${call}`, LIMITS)
    return status === 200 ? body : undefined
  } catch {
    // Servers are away at times; what they can't prove now is counted as unproved.
    return undefined
  }
}
