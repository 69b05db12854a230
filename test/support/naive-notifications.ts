// The notifications that members should see, derived from the meaning of events in arrival order: lists and
// loops over plain records, independent of the store's implementation. Threadgates and postgates have their
// own tests.

import type { CommitEvent, StreamEvent, WriteEvent } from '../../src/base/event.ts'
import { createNaiveIndex } from './naive-index.ts'

export type NaiveNotification = {
  to: string
  reason: string
  uri: string
  subject: string | undefined
  sortAt: number
}

type Ref = { uri: string }
type Fields = {
  subject?: Ref | string
  via?: Ref
  reply?: { parent: Ref }
  embed?: { record?: Ref }
  facets?: { features: { $type: string; did?: string }[] }[]
}

const POST = 'app.bsky.feed.post'
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
    const before = present(uri)
    const deeds = event.collection === 'app.bsky.graph.block' ? [] : [before]
    index.apply(event)
    const after = present(uri)
    if (before === after) return
    for (const gone of deeds) if (gone) retract(uri, gone)
    if (after) tell(uri, after)
  }

  function present(uri: string): WriteEvent | undefined {
    return index.records(uri.split('/')[3]!).find(([one]) => one === uri)?.[1]
  }

  /** An equal record by the same account takes over the notification of a deleted one. */
  function retract(uri: string, gone: WriteEvent): void {
    const before = all.length
    all = all.filter((one) => one.uri !== uri)
    if (all.length === before) return
    if (!PAIRS.includes(gone.collection)) return
    const [other] = sameAs(uri, gone)
    if (!other) return
    const [otherUri, event] = other
    add(event, { to: ownerOf(gone), reason: reasonOf(gone), uri: otherUri, subject: uriOf(gone) })
  }

  /** Equal records by the same account, by key. */
  function sameAs(uri: string, event: WriteEvent): [string, WriteEvent][] {
    return index
      .records(event.collection)
      .filter(([one, { did }]) => one !== uri && did === event.did)
      .filter(([, other]) => JSON.stringify(aim(other)) === JSON.stringify(aim(event)))
  }

  function tell(uri: string, event: WriteEvent): void {
    if (event.collection === POST) tellOfPost(uri, event)
    if (!PAIRS.includes(event.collection) || sameAs(uri, event).length > 0) return
    const to = ownerOf(event)
    if (to === event.did) return
    add(event, { to, reason: reasonOf(event), uri, subject: uriOf(event) })
    const via = fieldsOf(event).via?.uri
    if (!via) return
    add(event, { to: didOf(via), reason: `${reasonOf(event)}-via-repost`, uri, subject: via })
  }

  function tellOfPost(uri: string, event: WriteEvent): void {
    const { facets = [], embed, reply } = fieldsOf(event)
    const told = new Set([event.did])
    const once = (to: string, reason: string, subject?: string) => {
      if (told.has(to)) return
      told.add(to)
      add(event, { to, reason, uri, subject })
    }
    for (const { features } of facets) for (const { did } of features) once(did!, 'mention')
    if (embed?.record) once(didOf(embed.record.uri), 'quote', embed.record.uri)
    let above = reply?.parent.uri
    for (let height = 1; above && height <= MAX_HEIGHT; height++) {
      once(didOf(above), 'reply', above)
      const post = present(above)
      above = post && fieldsOf(post).reply?.parent.uri
    }
  }

  function add(event: WriteEvent, one: Omit<NaiveNotification, 'sortAt'>): void {
    if (!members.includes(one.to) || one.to === event.did) return
    all.push({ ...one, sortAt: index.sortAt(event) })
  }

  function areBlocked(a: string, b: string): boolean {
    return index.records('app.bsky.graph.block').some(([, { did, record }]) => {
      const subject = record['subject']
      return (did === a && subject === b) || (did === b && subject === a)
    })
  }

  /** Includes notifications by accounts that are hidden from the member. */
  function told(member: string): NaiveNotification[] {
    return all
      .filter(({ to }) => to === member)
      .filter(({ subject }) => subject === undefined || present(subject) !== undefined)
  }

  return {
    apply,
    told,
    /** The notifications this member is shown, in no order. */
    shown(member: string): NaiveNotification[] {
      return told(member).filter(
        ({ uri }) => !hidden.has(didOf(uri)) && !areBlocked(didOf(uri), member),
      )
    },
  }
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
