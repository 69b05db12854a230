// docs/METHODS.md: every method of the official lexicons that could concern an AppView, and how Slipstream
// answers it. Each is in exactly one class: for a registered method its own declaration decides
// (src/http/server/method.ts), and all others must be listed in refused-methods.ts.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFollowGraph, createTimelines } from '@slipstream/follow-graph'
import Database from 'better-sqlite3'
import { createHydrator } from '../../src/answers/hydrate/hydrator.ts'
import { createMediaUrls } from '../../src/answers/views/media-urls.ts'
import { loadConfig } from '../../src/base/config/config.ts'
import { createActorTable } from '../../src/data/graph/actor-table.ts'
import { migrate } from '../../src/data/store/migrate.ts'
import { loadServeFeatures } from '../../src/http/feature.ts'
import type { Method } from '../../src/http/server/method.ts'
import { createMethods } from '../../src/http/xrpc/methods.ts'
import { newsTable, readNews } from '../lexicons/news.ts'
import type { Lexicon } from '../lexicons/package-lexicons.ts'
import { differencesTable } from '../named-differences.ts'
import { recordVerdictsTable } from '../record-verdicts.ts'
import { refusalOf, refusedMethods } from './refused-methods.ts'

const official = JSON.parse(
  readFileSync(
    join(import.meta.dirname, '../../src/base/atproto/lexicons/official-lexicons.json'),
    'utf8',
  ),
) as Lexicon[]

export const CLASSES = ['native', 'partly', 'from elsewhere', 'refused'] as const
export type MethodClass = (typeof CLASSES)[number]

type Row = {
  nsid: string
  kind: string
  auth: string
  answer: MethodClass
  notes: string[]
}

const AUTH = {
  required: 'service JWT',
  optional: 'service JWT or none',
  none: 'none',
  moderator: 'moderators',
}

const HEAD = `# Methods

How Slipstream answers each method of the official lexicons: made from the code by \`npm run docs\`, and
kept true by a test. Semantics follow the reference AppView, but for what is
[named below](#not-as-the-reference-on-purpose).

- **native**: from our own index, wholly.
- **partly**: from our own index, but not all that the lexicon or the reference knows; the note says what.
- **from elsewhere**: from our own index first; what it lacks is asked of a public AppView where
  the operator allows it (otherwise it is left out).
- **refused**: \`501 MethodNotImplemented\`, and why.

Every method that takes an at-URI takes it with a handle, in any case, as well as with a DID, and answers with the DID.

\`chat.bsky.*\` goes to the chat service and never comes here. Permission sets (\`app.bsky.auth…\`) are read by PDSs, which
grant what they name.`

export function methodsPage(): string {
  const registered = allMethods()
  const rows = registered.map(toRow).sort((a, b) => (a.nsid < b.nsid ? -1 : 1))
  const ours = rows.filter(({ nsid }) => !isOfficial(nsid))
  const official = rows.filter(({ nsid }) => isOfficial(nsid))
  const refused = Object.entries(refusedMethods).map(([nsid, why]) => `| \`${nsid}\` | ${why} |`)
  return `${HEAD}

${countsOf(official, officialMethods())}

## Answered

${tableOf(official)}

## Of no official lexicon

${tableOf(ours)}

## Not as the reference, on purpose

${differencesTable()}

## Records that are indexed

A record is left out if the reference's index refuses it, too, with the exceptions in this table.
Both columns are checked by running both validators (\`test/e2e/verdicts.test.ts\`).

${recordVerdictsTable()}

## New upstream

${newsTable(readNews())}

## Refused

| method | why |
| --- | --- |
${refused.join('\n')}
`
}

/** The class of every method of the official lexicons; undefined for a method that has none. */
export function methodClasses(): Map<string, MethodClass | undefined> {
  const registered = new Map(allMethods().map((method) => [method.nsid, classOf(method)]))
  const classes = officialMethods().map((nsid) => {
    const answer = registered.get(nsid) ?? (refusalOf(nsid) ? 'refused' : undefined)
    return [nsid, answer] as const
  })
  return new Map(classes)
}

/** The queries, procedures and subscriptions that could concern an AppView. */
export function officialMethods(): string[] {
  return official
    .filter(({ id }) => isOfficial(id))
    .filter(({ defs }) => {
      const kind = defs['main']?.['type']
      return ['query', 'procedure', 'subscription'].includes(String(kind))
    })
    .map(({ id }) => id)
    .sort()
}

function isOfficial(nsid: string): boolean {
  return nsid.startsWith('app.bsky.') || nsid.startsWith('com.atproto.')
}

function classOf({ nsid, refused, partly }: Method): MethodClass {
  if (refused) return 'refused'
  if (elsewhereWhen[nsid]) return 'from elsewhere'
  return partly ? 'partly' : 'native'
}

function toRow(method: Method): Row {
  const { nsid, kind, auth, refused, partly } = method
  const notes = [refused, elsewhereWhen[nsid], partly].filter((note) => note !== undefined)
  return { nsid, kind, auth: AUTH[auth], answer: classOf(method), notes }
}

function tableOf(rows: Row[]): string {
  const lines = rows.map(
    ({ nsid, kind, auth, answer, notes }) =>
      `| \`${nsid}\` | ${kind} | ${auth} | ${answer} | ${notes.join('; ')} |`,
  )
  const head =
    '| method | kind | authentication | answer | notes |\n| --- | --- | --- | --- | --- |'
  return [head, ...lines].join('\n')
}

function countsOf(rows: Row[], official: string[]): string {
  const count = (answer: MethodClass) => rows.filter((row) => row.answer === answer).length
  const unregistered = official.length - rows.length
  const counts = [
    `${count('native')} native`,
    `${count('partly')} partly`,
    `${count('from elsewhere')} from elsewhere`,
    `${count('refused') + unregistered} refused`,
  ]
  return `Of ${official.length} methods: ${counts.join(', ')}.`
}

const config = loadConfig({}, '/nonexistent/.env')
const features = await loadServeFeatures()
const ofFeatures = features.flatMap((feature) => feature.methods?.(config) ?? [])
const elsewhereWhen: Readonly<Record<string, string>> = Object.assign(
  {},
  ...features.map(({ answersWhen }) => answersWhen),
)

/** Built without any parts, because only the methods' declarations are read. */
export function allMethods(): Method[] {
  const db = new Database(':memory:')
  migrate(db)
  const actors = createActorTable()
  const graph = createFollowGraph()
  const refuse = () => Promise.reject(new Error('the documentation sends no requests'))
  const urls = createMediaUrls({
    imageUrlPattern: '',
    videoPlaylistUrlPattern: '',
    videoThumbnailUrlPattern: '',
  })
  return createMethods(
    {
      db,
      actors,
      graph,
      timelines: createTimelines(1),
      isDrawn: () => true,
      hydrator: createHydrator({ db, actors, graph, urls }),
      writer: { send: refuse },
      resolver: { resolve: refuse, resolveHandle: refuse },
      fetch: refuse,
    },
    ofFeatures,
  )
}
