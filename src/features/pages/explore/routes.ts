// The explore view's queries over HTTP: JSON, for clients with the operator's token.

import { type Context, Hono } from 'hono'
import { createReader } from '../../../answers/hydrate/reader.ts'
import { BadCursorError } from '../../../answers/skeleton/page-cursor.ts'
import type { Config } from '../../../base/config/config.ts'
import { inLaterTurn, inTurns } from '../../../base/util/turn.ts'
import type { IngestStatus, SharedMemory } from '../../../bridge/messages.ts'
import { createAccounts } from '../../../data/store/read/accounts/accounts.ts'
import type { Explored } from '../../../http/operator/explored.ts'
import { requireOperator } from '../../../http/operator/guard.ts'
import { accountKnownAs } from '../../../http/operator/members.ts'
import { accountIn, readSubject } from '../../../http/operator/moderation-subject.ts'
import { monthOf } from '../../../http/operator/month.ts'
import { monthInWords } from '../../../http/operator/month-words.ts'
import { OperatorError } from '../../../http/operator/operator-error.ts'
import type { SlowRequests } from '../../../http/server/slow-requests.ts'
import type { Availability } from '../availability.ts'
import { figuresOf } from '../figures.ts'
import { createForecast, createHistories } from '../histories.ts'
import { accountView } from './account.ts'
import type { ExploreContext, Subject } from './context.ts'
import { membersView, newcomersView } from './members.ts'
import { overview } from './overview.ts'
import { createPostView } from './post.ts'
import { proofView } from './proof.ts'
import { createTimelineView } from './timeline.ts'

export type ExploreOptions = ExploreContext & {
  config: Config
  features?: readonly Explored[]
  /** What features in this process share. */
  memory?: Pick<SharedMemory, 'features'>
  status: () => IngestStatus | undefined
  slowRequests: Pick<SlowRequests, 'list'>
  availability: () => Availability
  /** Milliseconds since 1970. */
  now?: () => number
}

/** The query cannot be answered; the message is for the operator. */
class NotAnswerable extends Error {}

export function exploreRoutes(options: ExploreOptions): Hono {
  const timeline = createTimelineView(options)
  const post = createPostView(options)
  const furtherChecks = (options.features ?? []).flatMap(
    (feature) => feature.postChecks?.(options) ?? [],
  )
  const subjectOf = createSubjects(options)
  const uriOf = createUris(options)
  const forecast = createForecast(options)
  const histories = createHistories(options)
  const { labelers: dids } = options.config
  const { now = Date.now } = options
  /** Reads as a client that names no labelers. */
  const readerFor = (owner: Subject) =>
    createReader(owner, { labelers: { dids, redact: new Set(dids) } })

  const app = new Hono()
  app.use(requireOperator(options.config))
  app.get('/overview', (c) => overview(options).then(inLaterTurn((rows) => c.json({ rows }))))
  app.get('/figures', (c) => c.json(figuresOf(options.status(), forecast())))
  app.get('/history/:ring', (c) => {
    const history = histories(c.req.param('ring'))
    if (history === undefined) throw new NotAnswerable('Choose a chart of an hour, day or month.')
    return c.body(history, 200, { 'content-type': 'application/json' })
  })
  app.get('/newcomers', (c) =>
    answered(newcomersView(options, options.status()?.coldStarts ?? []), (newcomers) =>
      c.json({ newcomers }),
    ),
  )
  app.get('/month', (c) => c.json({ lines: monthInWords(monthOf(options.db, now())) }))
  app.get('/members', (c) => answered(membersView(options), (members) => c.json({ members })))
  for (const feature of options.features ?? []) feature.exploreRoutes?.(app, options)
  app.get('/slow', (c) => c.json({ requests: options.slowRequests.list() }))
  app.get('/account', (c) => c.json(accountView(options, subjectOf(c, 'actor'))))
  app.get('/timeline', (c) => {
    const owner = subjectOf(c, 'actor')
    const requested = { reader: readerFor(owner), cursor: c.req.query('cursor') }
    return answered(timeline(owner, requested), (view) => c.json(view))
  })
  app.get('/post', (c) => {
    const owner = subjectOf(c, 'actor')
    const found = uriOf(c.req.query('uri') ?? '')
    return found.then(
      inLaterTurn((uri) => {
        const { checks, items } = post(owner, { reader: readerFor(owner), uri })
        const further = furtherChecks.flatMap((check) => check(owner, uri))
        return c.json({ checks: [...checks, ...further], items })
      }),
    )
  })
  app.get('/proof', (c) =>
    c.json(proofView(options, subjectOf(c, 'viewer'), subjectOf(c, 'subject'))),
  )
  app.onError((error, c) => {
    if (error instanceof NotAnswerable || error instanceof BadCursorError) {
      return c.json({ error: 'InvalidRequest', message: error.message }, 400)
    }
    throw error
  })
  return app
}

/** Reads in turns of the request, and writes in another one. */
function answered<T>(reading: Generator<void, T>, write: (view: T) => Response): Promise<Response> {
  return Promise.resolve(inTurns(reading)).then(inLaterTurn(write))
}

/** Reads a post's at-URI, or its address in an app; other texts are left for the answer to refuse. */
function createUris({ db }: ExploreContext): (text: string) => Promise<string> {
  const didOf = async (handle: string) => {
    const did = accountKnownAs(db, handle)
    if (did === undefined) throw new NotAnswerable(`${handle} is not known here.`)
    return did
  }
  return (text) =>
    readSubject(text, didOf).catch((error: unknown) => {
      if (error instanceof OperatorError) return text
      throw error
    })
}

/** Finds accounts by handle, DID or the address of a profile, in our own index only. */
function createSubjects({ actors, db }: ExploreContext): (c: Context, name: string) => Subject {
  const accounts = createAccounts(db)
  return (c, name) => {
    const requested = accountIn(c.req.query(name) ?? '')
    if (requested === '') throw new NotAnswerable('Name an account: a handle or a DID.')
    const uid = requested.startsWith('did:')
      ? actors.uidOf(requested)
      : accounts.uidOfHandle(requested)
    if (uid === 0) throw new NotAnswerable(`${requested} is not known here.`)
    return { uid, did: actors.didOf(uid) }
  }
}
