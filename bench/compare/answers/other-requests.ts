// Recorded requests of no lexicon: pages of timelines by arrival, methods that are refused or unknown, and the
// documents that other servers read.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Answer, parsed, type Recorded } from './ask.ts'
import type { Cast } from './cast.ts'
import { BLOCKER, KEEN, QUIET } from './member-acts.ts'
import { refusedBy } from './tree.ts'

/** A token for this method also reads timelines by arrival. */
const READ = 'io.slipstream.timelines.read'
const MOST_PAGES = 1_000
const NUMBERS = new Set(['event_id', 'sequence_id', 'prev_sequence_id', 'received_at'])

export function timelinePages(trees: readonly string[], { lists, people }: Cast): Recorded[] {
  if (!trees.every((tree) => existsSync(join(tree, 'docs/TIMELINES.md')))) return []
  const ownKeys = (did: string) => [`following:${did}`, `notifications:${did}`, `author:${did}`]
  const queries = ['', '?limit=7', '?direction=forward&limit=20', '?limit=x']
  return [KEEN, QUIET, BLOCKER, people[0]!].flatMap((viewer) => {
    const keys = [...ownKeys(viewer), `list:${lists[0]}`, `author:${people[1]}`, 'nothing:x']
    const merged = keys.slice(0, 2).join('+')
    return [...keys, merged].flatMap((key) =>
      queries.map((query) => ({
        method: READ,
        viewer,
        path: `/v1/timelines/${encodeURIComponent(key)}/events${query}`,
        about: 'timeline pages',
        pages: MOST_PAGES,
        gather: inAnyOrder,
      })),
    )
  })
}

/**
 * All events, without their numbers: an author's earlier posts are fetched beside the stream, so two runs of
 * one tree number them differently.
 */
export function inAnyOrder(pages: readonly Answer[]): Answer {
  const first = pages[0]!
  if (pages.some(({ status }) => status !== 200)) return pages.find((page) => page.status !== 200)!
  const events = pages
    .flatMap(({ text }) => (parsed(text) as { events: Record<string, unknown>[] }).events)
    .map((event) => JSON.stringify(event, (name, value) => (NUMBERS.has(name) ? undefined : value)))
    .sort()
  return { ...first, text: `{"events":[${events.join(',')}]}` }
}

/** Methods that both refuse, and names that nobody has. */
export function refusals(trees: readonly string[]): Recorded[] {
  const [first = [], second = []] = trees.map(refusedBy)
  const both = first.filter((nsid) => second.includes(nsid))
  const unknown = ['app.bsky.feed.getNothing', 'com.example.unknown', '__proto__', '']
  return [...both, ...unknown].map((nsid) => ({
    method: '(refused and unknown)',
    viewer: undefined,
    path: `/xrpc/${nsid}`,
    about: 'refused',
  }))
}

export function documents(): Recorded[] {
  return ['/.well-known/did.json', '/robots.txt', '/nothing'].map((path) => ({
    method: '(documents)',
    viewer: undefined,
    path,
    about: 'document',
  }))
}
