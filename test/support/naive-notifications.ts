// The notifications that members should see, derived from the meaning of events in arrival order: lists and
// loops over plain records, independent of the store's implementation. Threadgates and postgates have their
// own tests.

import type { CommitEvent, StreamEvent, WriteEvent } from '@slipstream/jetstream'
import { createNaiveIndex, type NaiveIndex } from './naive-index.ts'

export type NaiveNotification = {
  to: string
  reason: string
  uri: string
  subject: string | undefined
  sortAt: number
}

type Notice = Omit<NaiveNotification, 'sortAt'>

type Ref = { uri: string }
type Fields = {
  subject?: Ref | string
  via?: Ref
  reply?: { parent: Ref }
  embed?: { record?: Ref }
  facets?: { features: { $type: string; did?: string }[] }[]
}

const POST = 'app.bsky.feed.post'
const BLOCK = 'app.bsky.graph.block'
const PAIRS = ['app.bsky.feed.like', 'app.bsky.feed.repost', 'app.bsky.graph.follow']
const HIDDEN = new Set(['deactivated', 'suspended', 'takendown', 'deleted'])
const MAX_HEIGHT = 4

export function createNaiveNotifications(members: string[]) {
  const index = createNaiveIndex()
  const hidden = new Set<string>()
  let all: NaiveNotification[] = []

  function apply(event: StreamEvent): void {
    if (event.kind === 'account') {
      index.apply(event)
      if (!event.active && HIDDEN.has(event.status ?? 'deactivated')) hidden.add(event.did)
      else hidden.delete(event.did)
      if (event.status === 'deleted') all = all.filter(({ uri }) => didOf(uri) !== event.did)
    } else if (event.kind === 'commit') applyCommit(event)
  }

  function applyCommit(event: CommitEvent): void {
    const uri = `at://${event.did}/${event.collection}/${event.rkey}`
    const before = present(index, uri)
    index.apply(event)
    const after = present(index, uri)
    if (before === after) return
    if (before && event.collection !== BLOCK) retract(uri, before)
    if (after) add(after, noticesOf(index, uri, after))
  }

  /** An equal record by the same account takes over the notification of a deleted one. */
  function retract(uri: string, gone: WriteEvent): void {
    const before = all.length
    all = all.filter((naiveNotification) => naiveNotification.uri !== uri)
    if (all.length === before) return
    if (!PAIRS.includes(gone.collection)) return
    const [other] = sameAs(index, uri, gone)
    if (!other) return
    const [otherUri, event] = other
    add(event, [{ ...aboutPair(gone), uri: otherUri }])
  }

  function add(event: WriteEvent, notices: Notice[]): void {
    const notified = notices.filter(({ to }) => members.includes(to) && to !== event.did)
    all.push(...notified.map((notice) => ({ ...notice, sortAt: index.sortAt(event) })))
  }

  /** Includes notifications by accounts that are hidden from the member. */
  function notified(member: string): NaiveNotification[] {
    return all
      .filter(({ to }) => to === member)
      .filter(({ subject }) => subject === undefined || present(index, subject) !== undefined)
  }

  return {
    apply,
    told: notified,
    /** The notifications this member is shown, in no order. */
    visible(member: string): NaiveNotification[] {
      return notified(member).filter(
        ({ uri }) => !hidden.has(didOf(uri)) && !areBlocked(index, didOf(uri), member),
      )
    },
  }
}

function present(index: NaiveIndex, uri: string): WriteEvent | undefined {
  return index.records(uri.split('/')[3]!).find(([part]) => part === uri)?.[1]
}

/** Equal records by the same account, by key. */
function sameAs(index: NaiveIndex, uri: string, event: WriteEvent): [string, WriteEvent][] {
  return index
    .records(event.collection)
    .filter(([value, { did }]) => value !== uri && did === event.did)
    .filter(([, other]) => JSON.stringify(aim(other)) === JSON.stringify(aim(event)))
}

function areBlocked(index: NaiveIndex, a: string, b: string): boolean {
  return index.records(BLOCK).some(([, { did, record }]) => {
    const subject = record['subject']
    return (did === a && subject === b) || (did === b && subject === a)
  })
}

/** The notifications that a new record causes, including those for accounts that are not members. */
function noticesOf(index: NaiveIndex, uri: string, event: WriteEvent): Notice[] {
  if (event.collection === POST) return noticesOfPost(index, uri, event)
  if (!PAIRS.includes(event.collection) || sameAs(index, uri, event).length > 0) return []
  const notice = { ...aboutPair(event), uri }
  if (notice.to === event.did) return []
  const via = fieldsOf(event).via?.uri
  if (!via) return [notice]
  return [notice, { to: didOf(via), reason: `${notice.reason}-via-repost`, uri, subject: via }]
}

/** One notification for each account that the post mentions, quotes or replies to, up the thread. */
function noticesOfPost(index: NaiveIndex, uri: string, event: WriteEvent): Notice[] {
  const { facets = [], embed, reply } = fieldsOf(event)
  const notices = new Map<string, Notice>()
  const once = (to: string, reason: string, subject?: string) => {
    if (to !== event.did && !notices.has(to)) notices.set(to, { to, reason, uri, subject })
  }
  for (const { features } of facets) for (const { did } of features) once(did!, 'mention')
  if (embed?.record) once(didOf(embed.record.uri), 'quote', embed.record.uri)
  let above = reply?.parent.uri
  for (let height = 1; above && height <= MAX_HEIGHT; height++) {
    once(didOf(above), 'reply', above)
    const post = present(index, above)
    above = post && fieldsOf(post).reply?.parent.uri
  }
  return [...notices.values()]
}

/** The notification of a like, repost or follow, without the URI of that record. */
function aboutPair(event: WriteEvent): Omit<Notice, 'uri'> {
  return { to: ownerOf(event), reason: reasonOf(event), subject: uriOf(event) }
}

function fieldsOf({ record }: WriteEvent): Fields {
  return record as unknown as Fields
}

/** The subject of a like, repost or follow. */
function aim(event: WriteEvent): string {
  const { subject } = fieldsOf(event)
  return typeof subject === 'string' ? subject : subject!.uri
}

function uriOf(event: WriteEvent): string | undefined {
  return event.collection.endsWith('follow') ? undefined : aim(event)
}

function ownerOf(event: WriteEvent): string {
  return didOf(aim(event))
}

function reasonOf({ collection }: WriteEvent): string {
  return collection.split('.').at(-1)!
}

function didOf(uri: string): string {
  return uri.startsWith('at://') ? uri.split('/')[2]! : uri
}
