// Faults caused by strangers: whatever they do, members' pages keep working, and an honest newcomer can sign
// in. Each flood is bounded in number and goes to loopback only.

import { until } from '../eventually.ts'
import { type Dependencies, type Fault, hadEffect, pick } from './fault.ts'
import { floodFeeds } from './feed-flood.ts'
import { hostileVideos, hugePicture, noise, plainPicture } from './hostile-blobs.ts'
import type { Attack } from './hostile-labeler.ts'
import { inTurns } from './in-turns.ts'
import type { PlannedFault } from './plan.ts'
import { sleep } from './sleep.ts'
import { writeWorstReplies } from './worst-replies.ts'

const UNREAD = 'app.bsky.notification.getUnreadCount'
const TIMELINE = 'app.bsky.feed.getTimeline'
const POST = 'app.bsky.feed.post'
const FOLLOW = 'app.bsky.graph.follow'
const NEWCOMERS = 300
/** Per address, by docs/OPERATING.md. */
const MOST_FROM_ADDRESS = 250
const NOBODIES = 1_400
/**
 * Lookups that an address's points allow: 600 in five minutes, a window that may restart meanwhile.
 */
const MOST_LOOKUPS = 1_250
const FORGED = 40
const HUGE_AUTHORS = 20
const HUGE_POSTS = 60
const HUGE_LENGTH = 95_000
const FOLLOWS = 1_500
const SILENT_PICTURES = 24
const COSTLY = 60
const PAGE_TIMEOUT_MS = 20_000
const NEWCOMER_TIMEOUT_MS = 40_000
const CONNECT_TIMEOUT_MS = 30_000
const QUIET_AFTER_MS = 2_000
const FETCH_TIMEOUT_MS = 20_000
const PICTURE_TIMEOUT_MS = 30_000

export const strangerFaults = {
  'labeler-huge': (parts, planned) => labelerAttack(parts, planned, 'huge'),
  'labeler-flood': (parts, planned) => labelerAttack(parts, planned, 'flood'),
  'labeler-odd': (parts, planned) => labelerAttack(parts, planned, 'odd'),
  'stranger-text': (parts, { dice }) => {
    const searches = writeWorstReplies(parts, dice)
    return withPages(parts, () => searches())
  },
  'stranger-newcomers': (parts, { dice }) => withPages(parts, () => floodNewcomers(parts, dice)),
  'stranger-tokens': (parts, { dice }) => withPages(parts, () => floodTokens(parts, dice)),
  'stranger-records': (parts, { dice }) => withPages(parts, () => floodRecords(parts, dice)),
  'stranger-media': (parts, { dice }) => withPages(parts, () => floodMedia(parts, dice)),
  'stranger-feeds': (parts) => withPages(parts, () => floodFeeds(parts)),
  'stranger-documents': (parts, { dice }) => withPages(parts, () => floodDocuments(parts, dice)),
} satisfies Record<string, Fault>

/** Reads a member's pages during `work`; none may take long. */
async function withPages(
  { world, subject }: Dependencies,
  work: () => Promise<void>,
): Promise<void> {
  let isOver = false
  const working = work().finally(() => {
    isOver = true
  })
  working.catch(() => {})
  const member = world.members[0]!.did
  const read = () => subject.get(member, TIMELINE, { limit: 30 })
  while (!isOver) {
    const startedAt = performance.now()
    const came = () =>
      read().then(
        () => true,
        () => false,
      )
    await until(came, { what: 'a member had a page', withinMs: PAGE_TIMEOUT_MS })
    const tookMs = performance.now() - startedAt
    if (tookMs > PAGE_TIMEOUT_MS) throw new Error(`a member's page took ${tookMs} ms`)
    await sleep(QUIET_AFTER_MS / 10)
  }
  await working
}

async function labelerAttack(
  parts: Dependencies,
  { forMs }: PlannedFault,
  attack: Attack,
): Promise<void> {
  const { world, subject } = parts
  const { labeler } = world.strangers
  const did = world.strangers.mint()
  const before = labeler.connections()
  const sentBefore = labeler.sentBytes()
  labeler.attack(attack)
  await withPages(parts, async () => {
    for (const { did: iss } of world.members) {
      const token = await world.servers.serviceJwt({ iss, aud: subject.audience, lxm: TIMELINE })
      const headers = { authorization: `Bearer ${token}`, 'atproto-accept-labelers': did }
      await subject.call(TIMELINE, '', headers)
    }
    const isConnected = () => labeler.connections() > before
    await until(isConnected, { what: 'the labeler was asked', withinMs: CONNECT_TIMEOUT_MS }).catch(
      () => {},
    )
    await sleep(forMs * 4)
  })
  labeler.stop()
  hadEffect('a labeler sent what it had', labeler.sentBytes() > sentBefore)
}

/** @returns the status. */
async function signIn(
  { world, subject }: Dependencies,
  did: string,
  from: string,
): Promise<number> {
  const token = await world.strangers.token({ iss: did, aud: subject.audience, lxm: UNREAD })
  return show({ subject }, token, from)
}

async function show({ subject }: Pick<Dependencies, 'subject'>, token: string, from: string) {
  const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': from }
  return (await subject.call(UNREAD, '', headers)).status
}

/** Signs in an honest newcomer from another address than the flood's. */
async function welcome(parts: Dependencies, dice: number, did = parts.world.strangers.mint()) {
  const from = `198.51.100.${1 + Math.floor(dice * 250)}`
  const isIn = async () => (await signIn(parts, did, from)) === 200
  await until(isIn, { what: 'a newcomer got in', withinMs: NEWCOMER_TIMEOUT_MS })
  return did
}

async function floodNewcomers(parts: Dependencies, dice: number): Promise<void> {
  const { strangers } = parts.world
  const from = floodAddress(dice)
  const statuses = await inTurns(NEWCOMERS, () => signIn(parts, strangers.mint(), from))
  const admitted = statuses.filter((status) => status === 200).length
  atMost('newcomers of one address', admitted, MOST_FROM_ADDRESS)
  hadEffect('newcomers were refused', statuses.includes(429))
  await welcome(parts, dice)
}

/**
 * Tokens of accounts that do not exist, of members with another key, expired ones, and of hosts
 * that never answer.
 */
async function floodTokens(parts: Dependencies, dice: number): Promise<void> {
  const { world, subject } = parts
  const { strangers, members } = world
  const from = floodAddress(dice)
  const claims = { aud: subject.audience, lxm: UNREAD }
  const silent = inTurns(strangers.silentDids.length, async (i) => {
    const token = await strangers.token({ iss: strangers.silentDids[i]!, ...claims })
    return show(parts, token, `203.0.113.${i}`)
  })
  await welcome(parts, dice)
  const nobodies = Array.from({ length: NOBODIES }, () => strangers.nobody())
  const statuses = await inTurns(NOBODIES, (i) => signIn(parts, nobodies[i]!, from))
  const forged = await inTurns(FORGED, async (i) => {
    const { did } = members[i % members.length]!
    const exp = Math.floor(Date.now() / 1000) + (i % 2 ? 60 : -600)
    return show(parts, await strangers.token({ iss: did, ...claims, exp }, true), from)
  })
  const taken = [...statuses, ...forged, ...(await silent)].filter((status) => status === 200)
  atMost('accepted tokens that are invalid', taken.length, 0)
  atMost('look-ups that an address buys', strangers.lookupsOf(nobodies), MOST_LOOKUPS)
  hadEffect('tokens were looked up', strangers.lookupsOf(nobodies) > 0)
  hadEffect('tokens were refused', statuses.includes(429))
  hadEffect('silent hosts were asked', strangers.calls().silent > 0)
}

/** Each from a different address, so that none is refused unread. */
async function floodDocuments(parts: Dependencies, dice: number): Promise<void> {
  const { strangers } = parts.world
  const dids = Array.from({ length: COSTLY }, () => strangers.mintCostly())
  const statuses = await inTurns(COSTLY, (i) => signIn(parts, dids[i]!, `203.0.113.${i}`))
  atMost(
    'tokens of costly documents that were taken',
    statuses.filter((status) => status === 200).length,
    0,
  )
  hadEffect('costly documents were read', strangers.lookupsOf(dids) >= COSTLY / 2)
  await welcome(parts, dice)
}

/**
 * A newcomer that follows authors of the largest possible posts, and thousands of accounts that do
 * not exist.
 */
async function floodRecords(parts: Dependencies, dice: number): Promise<void> {
  const { strangers } = parts.world
  const authors = Array.from({ length: HUGE_AUTHORS }, () => {
    const name = strangers.nobody()
    return strangers.mint({ [POST]: { count: HUGE_POSTS, recordOf: (i) => hugePost(name, i) } })
  })
  const nobodies = Array.from({ length: FOLLOWS }, () => strangers.nobody())
  const subjects = [...nobodies, ...authors]
  const recordOf = (i: number) => ({ subject: subjects[i], createdAt: timeOf(i) })
  const did = strangers.mint({ [FOLLOW]: { count: subjects.length, recordOf } })
  const before = strangers.calls().requests
  await welcome(parts, dice, did)
  await untilStill(parts)
  hadEffect('huge authors were read', strangers.calls().requests - before > HUGE_AUTHORS)
}

function hugePost(name: string, i: number): Record<string, unknown> {
  const description = noise(`${name} ${i}`, HUGE_LENGTH)
  const external = { uri: 'https://large.example/', title: 'Large', description }
  const embed = { $type: 'app.bsky.embed.external', external }
  return { text: `Large, ${i}`, createdAt: timeOf(i), embed }
}

function timeOf(i: number): string {
  return new Date(Date.UTC(2026, 9, 1) + i * 1_000).toISOString()
}

/** Waits until strangers have received no request for a while, or until the deadline. */
async function untilStill({ world }: Dependencies): Promise<void> {
  const { strangers } = world
  const deadline = performance.now() + FETCH_TIMEOUT_MS
  const requested = () => strangers.calls().requests + strangers.calls().lookups
  for (let before = -1; before !== requested() && performance.now() < deadline; ) {
    before = requested()
    await sleep(QUIET_AFTER_MS)
  }
}

/** Reasons given only by the process that parses videos (features/media/process/). */
const BY_PARSER = /"(NotStreamable|TooMuchMemory|TooMuchTime)"/

/** Pictures of other accounts are still served. */
async function floodMedia(parts: Dependencies, dice: number): Promise<void> {
  const { world, subject } = parts
  const { strangers } = world
  const headers = { 'x-forwarded-for': floodAddress(dice) }
  const did = await welcome(parts, dice)
  const decent = strangers.putBlob(await plainPicture())
  const isVisible = async () =>
    (await subject.picture(thumbnail(did, decent), headers)).status === 200
  await until(isVisible, {
    what: 'a picture of the stranger that is none of these came',
    withinMs: PICTURE_TIMEOUT_MS,
  })
  const silent = Array.from({ length: SILENT_PICTURES }, (_, i) =>
    strangers.putBlob(Buffer.from(`silence of ${did} ${i}`), true),
  )
  const pictures = [strangers.putBlob(await hugePicture()), ...silent]
  const videos = hostileVideos().map((bytes) => strangers.putBlob(bytes))
  const requested = [
    ...pictures.map((cid) => thumbnail(did, cid)),
    ...videos.flatMap((cid) =>
      ['playlist.m3u8', '0/video.m3u8', '0.m4s'].map((it) => `/video/${did}/${cid}/${it}`),
    ),
  ]
  const answers = inTurns(requested.length, (i) => subject.picture(requested[i]!, headers))
  answers.catch(() => {})
  await until(() => hasPicture(parts), {
    what: 'a picture of others came',
    withinMs: PICTURE_TIMEOUT_MS,
  })
  const refused = await answers
  const visible = refused.filter(({ status }) => status === 200)
  atMost('hostile pictures and videos shown', visible.length, 0)
  hadEffect('hostile pictures were fetched', strangers.blobsRequested(pictures) > 0)
  if (!subject.hasOwnVideos) return
  for (const cid of videos)
    hadEffect('a hostile video was fetched', strangers.blobsRequested([cid]) > 0)
  const byParser = refused.filter(({ bytes }) => BY_PARSER.test(bytes.toString()))
  hadEffect('each hostile video reached its parser', byParser.length >= videos.length)
}

function thumbnail(did: string, cid: string): string {
  return `/img/feed_thumbnail/plain/${did}/${cid}@jpeg`
}

async function hasPicture({ world, subject }: Dependencies): Promise<boolean> {
  const did = world.members[0]!.did
  const path = `/img/avatar/plain/${did}/${pick(world.pictures, 0)}@jpeg`
  return (await subject.picture(path)).status === 200
}

function floodAddress(dice: number): string {
  return `203.0.113.${1 + Math.floor(dice * 250)}`
}

function atMost(what: string, count: number, most: number): void {
  if (count > most) throw new Error(`${what}: ${count}, but at most ${most} are allowed`)
}
