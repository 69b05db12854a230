// The record by which an account offers For You to users of other servers. It is written and deleted in the
// account's own repository, and what its owner added to it stays.

import { COLLECTION, RKEY } from '../generator.ts'
import { PdsError, type PdsSession } from './pds-session.ts'

export type Wording = { name?: string | undefined; description?: string | undefined }

const KEY = { collection: COLLECTION, rkey: RKEY }
const WORDS = {
  displayName: 'For You',
  description: 'Posts by people who liked what you liked.',
}

/** @param serviceDid - of the server that makes the feed */
export async function publish(
  session: PdsSession,
  { repo, serviceDid, now }: { repo: string; serviceDid: string; now: Date },
  { name, description }: Wording,
): Promise<void> {
  const before = await existing(session, repo)
  const record = {
    ...WORDS,
    createdAt: now.toISOString(),
    ...before,
    ...(name !== undefined && { displayName: name }),
    ...(description !== undefined && { description }),
    $type: COLLECTION,
    did: serviceDid,
    acceptsInteractions: true,
  }
  await session.post('com.atproto.repo.putRecord', { repo, ...KEY, record })
}

export async function withdraw(session: PdsSession, repo: string): Promise<void> {
  await session.post('com.atproto.repo.deleteRecord', { repo, ...KEY })
}

async function existing(session: PdsSession, repo: string): Promise<object | undefined> {
  try {
    const { value } = await session.get('com.atproto.repo.getRecord', { repo, ...KEY })
    return typeof value === 'object' && value !== null ? value : undefined
  } catch (error) {
    if (error instanceof PdsError && ['RecordNotFound', 'InvalidRequest'].includes(error.error)) {
      return undefined
    }
    throw error
  }
}
