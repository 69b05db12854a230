// Which accounts' videos are kept permanently, by the operator's setting: all that their posts show.

import { type ActorReader, HIDDEN } from '../../../data/graph/types.ts'
import type { Db } from '../../../data/store/db.ts'
import { allMembers } from '../../../data/store/members/members.ts'
import { blobSubject, findTakedown } from '../../../data/store/moderation/takedowns.ts'
import { actorStatus } from '../../../data/store/records/actors.ts'
import { statusOf } from '../../../data/store/records/status.ts'
import { blobsPresentedIn } from '../hls/video-posts.ts'
import type { MediaConfig } from '../media-config.ts'
import { videoRecordsOf } from '../store/video-records.ts'
import type { PinnedAccount, PinRules } from './pin-store.ts'

type Dependencies = { db: Db; actors: Pick<ActorReader, 'uidOf' | 'didOf' | 'flagsOf'> }

const MEGABYTE = 1 << 20
/** Per account; earlier posts are not pinned. */
const MOST_POSTS = 5_000

/** Undefined if no accounts are pinned. */
export function pinRules(config: MediaConfig, { db, actors }: Dependencies): PinRules | undefined {
  const { mediaPin, mediaPinMb, videos } = config
  if (mediaPin.length === 0 || videos !== 'own') return undefined
  const isVisible = (subject: string) => !findTakedown(db, subject)
  return {
    maxBytes: mediaPinMb * MEGABYTE,
    accounts: () =>
      didsOf(mediaPin, { db, actors }).map((did) => ({ did, state: stateOf(did, { db, actors }) })),
    presentedBy(did) {
      const records = videoRecordsOf(db, actors.uidOf(did), MOST_POSTS)
      const visible = records.filter(({ rkey }) =>
        isVisible(`at://${did}/app.bsky.feed.post/${rkey}`),
      )
      const blobs = visible.flatMap(({ record }) => blobsPresentedIn(record))
      return blobs.filter(({ cid }) => isVisible(blobSubject(did, cid)))
    },
  }
}

function didsOf(mediaPin: readonly string[], { db, actors }: Dependencies): string[] {
  const named = mediaPin.filter((value) => value !== 'members')
  const members = mediaPin.includes('members')
    ? allMembers(db).map(({ uid }) => actors.didOf(uid))
    : []
  return [...new Set([...named, ...members])]
}

/** Deactivated accounts may return; deleted and taken-down ones leave nothing here. */
function stateOf(did: string, { db, actors }: Dependencies): PinnedAccount['state'] {
  const uid = actors.uidOf(did)
  if (uid === 0 || findTakedown(db, did)) return 'gone'
  if ((actors.flagsOf(uid) & HIDDEN) === 0) return 'here'
  const status = statusOf(actorStatus(db, uid)?.status ?? 0)
  return status === 'deleted' || status === 'takendown' ? 'gone' : 'away'
}
