// Who may read here, and the news that somebody did. A member's request tells the ingest thread, at
// most once in a while, so that their timeline is in memory and their cold start begins; the request
// itself does not wait for it.

import type { Writer } from './bridge.ts'
import type { Config } from './config.ts'
import { forbidden, type XRPCError } from './xrpc/errors.ts'

const TOLD_AGAIN_AFTER_MS = 60_000
const MAX_REMEMBERED = 100_000

/** @returns what runs for each verified viewer; it throws the refusal for those who may not read. */
export function createMembership(options: {
  config: Pick<Config, 'members'>
  configuredMembers: () => readonly string[]
  writer: Writer
  onError: (error: unknown) => void
  now?: () => number
}): (did: string) => void {
  const { config, configuredMembers, writer, onError, now = Date.now } = options
  const toldAt = new Map<string, number>()

  function isAdmitted(did: string): boolean {
    return config.members === 'open' || configuredMembers().includes(did)
  }

  function tell(did: string): void {
    if (now() - (toldAt.get(did) ?? -Infinity) < TOLD_AGAIN_AFTER_MS) return
    if (toldAt.size >= MAX_REMEMBERED) toldAt.clear()
    toldAt.set(did, now())
    writer.send({ kind: 'member-seen', did }).catch((error) => {
      toldAt.delete(did)
      onError(error)
    })
  }

  return (did) => {
    if (!isAdmitted(did)) throw notAMember()
    tell(did)
  }
}

function notAMember(): XRPCError {
  return forbidden(
    'This AppView serves a fixed list of accounts, and this is none of them. Its operator can add it.',
    'NotAMember',
  )
}
