// Lists and changes the operator's takedowns and bans: GET /moderation; POST /moderation with `{act, subject,
// reason?, by?, ref?, blobs?, tag?}`.

import type { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { knownTags, type TagRules } from '../../base/atproto/tag-rules.ts'
import type { Logger } from '../../base/obs/log.ts'
import { isoTime } from '../../base/util/iso-time.ts'
import type { IngestConnection } from '../../bridge/connection.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import { listBans } from '../../data/store/moderation/bans.ts'
import { type ModerationAct, moderationLog } from '../../data/store/moderation/moderation-log.ts'
import { listTags } from '../../data/store/moderation/moderation-tags.ts'
import { listTakedowns } from '../../data/store/moderation/takedowns.ts'
import type { Resolver } from '../../sources/identity/resolver.ts'
import { accountKnownAs, resolveAccount } from './members.ts'
import { blobsOf, readSubject } from './moderation-subject.ts'
import { OperatorError } from './operator-error.ts'
import { createSubjectWords } from './subject-words.ts'

/** `about`: its handle, and the beginning of its text, where they are known here. */
type About = { about: string | undefined }

export type ModerationLists = {
  takedowns: ({ subject: string; ref: string; at: string } & About)[]
  bans: ({ did: string; at: string } & About)[]
  tags: ({ subject: string; tag: string; at: string } & About)[]
  log: ({
    at: string
    act: ModerationAct
    subject: string
    by: string
    reason: string
    tag: string
  } & About)[]
}

export type ModerationAnswer = { subject: string; changed: boolean; blobs: number }

type Dependencies = {
  config: TagRules
  db: Db
  actors: Pick<ActorReader, 'uidOf'>
  ingest: Pick<IngestConnection, 'operate'>
  resolver: Resolver
  log: Pick<Logger, 'info'>
}
export type ModerationRequest = {
  act: ModerationAct
  subject: string
  reason: string
  by: string
  ref: string
  blobs: boolean
  tag: string
}

export const MAX_LISTED_DECISIONS = 1_000
const MAX_REQUEST_BYTES = 16 << 10
const MAX_TEXT = 1_000
const ACTS: readonly string[] = [
  'hide',
  'show',
  'ban',
  'allow',
  'tag',
  'untag',
] satisfies ModerationAct[]

/** @param readJson - reads a bounded body. */
export function addModeration(
  app: Hono,
  { config, db, actors, ingest, resolver, log }: Dependencies,
  readJson: (request: { text(): Promise<string> }) => Promise<object>,
): void {
  const didOf = async (handle: string) =>
    accountKnownAs(db, handle) ?? (await resolveAccount(resolver, handle)).did
  app.get('/moderation', (c) => c.json(moderationLists(db, MAX_LISTED_DECISIONS)))
  app.post('/moderation', bodyLimit({ maxSize: MAX_REQUEST_BYTES }), async (c) => {
    const request = readRequest(await readJson(c.req))
    const { act, by, reason, ref, tag } = request
    refuseUnfitTag(config, request)
    const subject = await readSubject(request.subject, didOf)
    const blobs = act === 'hide' && request.blobs ? blobsOf({ db, actors }, subject) : []
    const decision = { act, subject, by, reason, ref, blobs, tag }
    const { changed = 0 } = await ingest.operate({ kind: 'moderate', ...decision })
    log.info({ act, subject, by, reason, tag, changed }, 'moderated by the operator')
    return c.json({ subject, changed: changed === 1, blobs: blobs.length })
  })
}

export function moderationLists(db: Db, limit: number): ModerationLists {
  const aboutOf = createSubjectWords(db)
  return {
    takedowns: listTakedowns(db, limit).map(({ subject, ref, at }) => {
      return { subject, ref, at: isoTime(at), about: aboutOf(subject) }
    }),
    bans: listBans(db, limit).map(({ did, at }) => {
      return { did, at: isoTime(at), about: aboutOf(did) }
    }),
    tags: listTags(db, limit).map((tag) => {
      return { ...tag, at: isoTime(tag.at), about: aboutOf(tag.subject) }
    }),
    log: moderationLog(db, limit).map(({ at, act, subject, by, reason, tag }) => {
      return { at: isoTime(at), act, subject, by, reason, tag, about: aboutOf(subject) }
    }),
  }
}

function readRequest(body: object): ModerationRequest {
  const { act, subject, blobs = true, ...texts } = body as Record<string, unknown>
  const { reason = '', by = 'operator', ref = '', tag = '' } = texts
  const isFit =
    typeof act === 'string' &&
    ACTS.includes(act) &&
    typeof blobs === 'boolean' &&
    [subject, reason, by, ref, tag].every(
      (item) => typeof item === 'string' && item.length <= MAX_TEXT,
    )
  if (isFit) return { act, subject, reason, by, ref, blobs, tag } as ModerationRequest
  throw new OperatorError(
    400,
    'The decision is not complete.',
    `act: ${ACTS.join(', ')}; subject: a handle, DID, at-URI or a post’s address; reason, by, ref: texts of at most ${MAX_TEXT} characters; blobs: true or false; tag: which one, to tag and untag.`,
  )
}

/**
 * A tag that no setting names has no effect, and is likely a typo. Tags already set can still be
 * removed.
 */
export function refuseUnfitTag(
  rules: TagRules,
  { act, tag }: Pick<ModerationRequest, 'act' | 'tag'>,
): void {
  const isAbout = act === 'tag' || act === 'untag'
  if (isAbout === (tag !== '') && (act !== 'tag' || knownTags(rules).includes(tag))) return
  const known = knownTags(rules).join(', ') || 'none'
  throw new OperatorError(
    400,
    isAbout
      ? `"${tag.slice(0, 200)}" is not a tag with an effect here.`
      : 'Only tag and untag are about a tag.',
    `Tags that do: ${known}. SLIPSTREAM_SEARCH_TAGS_HIDE and the settings after it name them.`,
  )
}
