// Methods that answer page by page: the subject of the page, its skeleton (ids), the presentation (hydration,
// rules and views: present.ts), and the body. Cursors are handled here: the skeleton refuses bad ones, and
// retired ones of old clients get an empty page, as in the reference.

import { PageSources } from '../../../answers/cache/page-sources.ts'
import { isRetiredCursor } from '../../../answers/skeleton/page-cursor.ts'
import type { PageRange, SkeletonPage } from '../../../answers/skeleton/skeleton-page.ts'
import { answerMemory, jsonBytes } from '../../../answers/views/json/ready-json.ts'
import {
  andThen,
  inParts,
  inTurns,
  isTimeUp,
  type MaybeLater,
  timed,
  turnNumber,
} from '../../../base/util/turn.ts'
import type { Method, MethodResult } from '../../server/method.ts'
import type { AppContext } from '../app-context.ts'
import type { Call } from '../call.ts'
import { type CallOf, type MethodDefinition, type QueryOptions, query } from '../define.ts'
import { notKnownHere } from '../waiting/not-here.ts'
import { showsNothing } from '../waiting/shows-nothing.ts'
import { type AnswerBudget, createAnswerBudget } from './answer-budget.ts'

/** A view, maybe as ready JSON; undefined if it is not shown. */
export type View = object | undefined

type PageParams = { limit: number; cursor?: string }

/** The page of one call, with all of its reads. */
export type Page<C, About, Read> = {
  call: C
  about: About
  /** Skeletons read so far, including those of the pages below that fill this one up. */
  reads: readonly Read[]
  /** Items of these that are not shown yet. */
  postponed: ReadonlySet<unknown>
  /** Where to note what the page is written from, if it may be sent again. */
  sources?: PageSources | undefined
}

/** A part of a page: `limit` items below a cursor. */
export type PagePart<C, About> = { call: C; about: About; range: PageRange }

type PageSteps<C, About, Read extends SkeletonPage<unknown>> = {
  /** The subject of the page; throws if it does not exist, or not for this viewer. */
  about?(app: AppContext, call: C): MaybeLater<About>
  /** In steps, if it reads much. @throws BadCursorError */
  skeleton(app: AppContext, part: PagePart<C, NoInfer<About>>): Read | Generator<void, Read>
  /** Leaves out items that should not be shown yet; the last page shows them all the same. */
  postpone?(
    app: AppContext,
    items: readonly Item<Read>[],
    page: Page<C, NoInfer<About>, NoInfer<Read>>,
  ): Generator<void, readonly Item<Read>[]>
  /** Whether more items may arrive: a last page with only postponed items then stays empty. */
  mayGoOn?(about: NoInfer<About>): boolean
  /**
   * Whether an empty list says nothing, since the items were never here: it is refused with a 503.
   */
  isUnknown?(app: AppContext, about: NoInfer<About>, call: C): boolean
  /** Leaves out items that do not belong on a page with the others. */
  choose?(
    app: AppContext,
    items: readonly Item<Read>[],
    page: Page<C, NoInfer<About>, NoInfer<Read>>,
  ): Generator<void, readonly Item<Read>[]>
  /** Views of the shown items, in order; a part of a page at a time. */
  present(
    app: AppContext,
    items: readonly Item<Read>[],
    page: Page<C, NoInfer<About>, NoInfer<Read>>,
  ): readonly View[]
  /**
   * The name of the field with the views, followed by the cursor; or a function for the whole body.
   */
  body:
    | string
    | ((views: readonly object[], page: FilledPageOf<C, NoInfer<About>, NoInfer<Read>>) => object)
  /** Does not refill a page that is half full. */
  halfIsEnough?: boolean
  /** The cursor that marks the end. */
  end?(call: C): string | undefined
  /**
   * Whether the page may be sent again as it is, while its items and what they show are the same.
   * Then `present` notes in the page's `sources` all that it reads, and `body` depends on nothing
   * but what skeleton and parameters say.
   */
  mayBeCached?(about: NoInfer<About>): boolean
}

type Item<Read extends SkeletonPage<unknown>> = NoInfer<Read['items'][number]>
type FilledPageOf<C, About, Read> = Page<C, About, Read> & {
  app: AppContext
  /** Cursor of the next page. */
  cursor: string | undefined
}

export function pagedMethod<Auth extends Method['auth'], About, Read extends SkeletonPage<unknown>>(
  nsid: string,
  options: QueryOptions<Auth>,
  steps: PageSteps<CallOf<Auth>, About, Read>,
): MethodDefinition {
  return query(nsid, options, (app, call) =>
    andThen(steps.about?.(app, call) as MaybeLater<About>, (about) => {
      const make = (record?: PageRecord) => answer(app, steps, { call, about, record })
      if (!steps.mayBeCached?.(about)) return inTurns(make())
      const skeleton = (range: PageRange) =>
        allSteps(() => steps.skeleton(app, { call, about, range }))
      return inTurns(cachedOrMade(app, { nsid, call }, { skeleton, make }))
    }),
  )
}

/** A page of large items is presented in several turns. */
function* answer<C extends Call<never>, About, Read extends SkeletonPage<unknown>>(
  app: AppContext,
  steps: PageSteps<C, About, Read>,
  { call, about, record }: { call: C; about: About; record?: PageRecord | undefined },
): Generator<void, MethodResult> {
  const { limit, cursor } = call.params as PageParams
  const end = steps.end?.(call)
  const reads: Read[] = []
  const postponed = new Set<unknown>()
  const edges: Edges = { above: undefined, fitting: undefined }

  function read(part: { limit: number; enough: number; mayPostpone: boolean }) {
    reads.length = 0
    postponed.clear()
    edges.above = undefined
    edges.fitting = undefined
    let seen = 0
    const budget = createAnswerBudget(call)
    return filledPage({ ...part, cursor, end }, function* (from, count) {
      const range = { limit: count, cursor: from }
      const found = yield* allSteps(() => steps.skeleton(app, { call, about, range }))
      reads.push(found)
      record?.reads.push({ range, found })
      const page = { call, about, reads, postponed, sources: record?.sources }
      const postponing = part.mayPostpone ? steps.postpone?.(app, found.items, page) : undefined
      const visible = postponing ? yield* postponing : found.items
      if (visible.length < found.items.length) {
        record?.sources.refuse()
        for (const item of found.items) if (!visible.includes(item)) postponed.add(item)
        edges.above ??= seen + found.items.findIndex((item) => postponed.has(item))
      }
      const before = budget.presented
      const views = yield* presented(app, steps, { visible, page, budget })
      if (budget.isFull) {
        record?.sources.refuse()
        const last = visible[budget.presented - before - 1]
        edges.fitting = seen + (last === undefined ? 0 : found.items.indexOf(last) + 1)
      }
      seen += found.items.length
      return {
        items: views.filter((view) => view !== undefined),
        cursor: found.cursor,
        isCut: found.isCut || budget.isFull,
      }
    })
  }

  const parts: PageReads = {
    read,
    edges,
    limit,
    enough: steps.halfIsEnough ? Math.ceil(limit / 2) : limit,
    mayGoOn: () => steps.mayGoOn?.(about) ?? false,
    firstItems: () => reads[0]!.items.length,
  }
  const page = isRetiredCursor(cursor) ? NOTHING : yield* fittingPage(parts)
  const isAllEmpty = page.items.length === 0 && page.cursor === undefined && cursor === undefined
  if (isAllEmpty && steps.isUnknown?.(app, about, call)) throw notKnownHere()
  return { body: bodyOf(page) }

  function bodyOf(page: FilledPage<NonNullable<View>>): object {
    const { cursor, items: views } = page
    if (typeof steps.body === 'string') return { [steps.body]: views, cursor }
    return steps.body(views, { app, call, about, reads, postponed, cursor })
  }
}

type Edges = {
  /** Items above the first postponed one; undefined if none was postponed. */
  above: number | undefined
  /** Items that fit into the answer; undefined if all do. */
  fitting: number | undefined
}

type Reading = Generator<void, FilledPage<NonNullable<View>>>

type PageReads = {
  /** Sets the edges of what it read. */
  read(part: { limit: number; enough: number; mayPostpone: boolean }): Reading
  edges: Readonly<Edges>
  limit: number
  enough: number
  mayGoOn(): boolean
  firstItems(): number
}

/** A page that is more than an answer holds ends early, with a cursor. */
function* fittingPage(reads: PageReads): Reading {
  const page = yield* completePage(reads)
  const { fitting } = reads.edges
  if (fitting === undefined || fitting >= reads.limit) return page
  return yield* reads.read({ limit: Math.max(1, fitting), enough: 0, mayPostpone: true })
}

/**
 * Ends a page above the first postponed item, which moves to the next page; if that would leave
 * little, the page continues below it. The last page postpones nothing unless more items may
 * arrive.
 */
function* completePage({ read, edges, limit, enough, mayGoOn, firstItems }: PageReads): Reading {
  const page = yield* read({ limit, enough, mayPostpone: true })
  const { above } = edges
  if (above === undefined) return page
  const isLast = page.cursor === undefined
  if (isLast && !mayGoOn()) return yield* read({ limit, enough, mayPostpone: false })
  if (isLast ? above > 0 : above * 2 >= limit) {
    return yield* read({ limit: above, enough: 0, mayPostpone: true })
  }
  if (!isLast) return page
  return page.items.length * 2 < firstItems() ? NOTHING : page
}

function* presented<C, About, Read extends SkeletonPage<unknown>>(
  app: AppContext,
  steps: Pick<PageSteps<C, About, Read>, 'choose' | 'present'>,
  {
    visible,
    page,
    budget,
  }: { visible: readonly Item<Read>[]; page: Page<C, About, Read>; budget: AnswerBudget },
): Generator<void, readonly View[]> {
  const chosen = steps.choose ? yield* steps.choose(app, visible, page) : visible
  const present = (some: readonly Item<Read>[]) => steps.present(app, some, page)
  return yield* inParts(chosen, (some) => budget.present(some, present))
}

/** Measures each step. */
function* allSteps<Read extends object>(
  begin: () => Read | Generator<void, Read>,
): Generator<void, Read> {
  const begun = timed('skeleton', begin)
  if (!('next' in begun)) return begun
  for (;;) {
    const step = timed('skeleton', () => begun.next())
    if (step.done) return step.value
    yield
  }
}

const NOTHING: FilledPage<NonNullable<View>> = { items: [], cursor: undefined }

// Blocks and mutes remove items from a page after it was read. So that a page is not short or even empty
// while there is more below, the next pages are read until it is full, or until the call's time is up: then it
// ends early, with a cursor.

/** `isCut`: see `SkeletonPage`. */
export type FilledPage<T> = {
  items: T[]
  cursor: string | undefined
  isCut?: boolean
}

export const MAX_READS = 10

type Options = {
  limit: number
  cursor: string | undefined
  /** A cursor that means the end (`since` of a bounded read). */
  end?: string
  /** Number of items that suffice; `limit` by default. */
  enough?: number
}

/**
 * Of a page that took more than a turn already, no more is read.
 * @param read - reads one filtered page; its cursor follows the items read, not those that are left
 */
export function* filledPage<T>(
  { limit, cursor, end, enough = limit }: Options,
  read: (cursor: string | undefined, limit: number) => Generator<void, FilledPage<T>>,
): Generator<void, FilledPage<T>> {
  const turn = turnNumber()
  const { isCut, ...page } = yield* read(cursor, limit)
  if (isCut) return page
  for (let reads = 1; reads < MAX_READS && page.items.length < enough; reads++) {
    if (page.cursor === undefined || page.cursor === end) break
    if (isTimeUp() || turnNumber() !== turn) break
    const next = yield* read(page.cursor, limit - page.items.length)
    page.items.push(...next.items)
    if (next.cursor === page.cursor) return { ...page, cursor: undefined }
    page.cursor = next.cursor
    if (next.isCut) break
  }
  return page
}

// Pages that are asked for again: sent as they were written before, as long as the skeleton finds the same items
// and cursors, and all that the views were made from is the same (answers/cache/cached-pages.ts). The skeleton is read
// each time, so that nothing need say when a timeline has changed.

type Read = SkeletonPage<unknown>

/** What an answer was made from, if it is to be kept. */
type PageRecord = {
  readonly sources: PageSources
  /** The skeletons read, in order. */
  readonly reads: { range: PageRange; found: Read }[]
}

/** @param make - makes the answer, and notes in the record what from */
function* cachedOrMade(
  { viewCache: { pages, isCurrent } }: Pick<AppContext, 'viewCache'>,
  { nsid, call }: { nsid: string; call: Call<never> },
  {
    skeleton,
    make,
  }: {
    skeleton: (range: PageRange) => Generator<void, Read>
    make: (record?: PageRecord) => Generator<void, MethodResult>
  },
): Generator<void, MethodResult> {
  const key = keyOf(nsid, call)
  const known = pages.find(key)
  if (known && isCurrent(known, call.reader)) {
    const reads = known.reads as PageRecord['reads']
    let areSame = true
    for (const { range, found } of reads)
      areSame = areSame && isSameRead(found, yield* skeleton(range))
    if (areSame) {
      pages.use(key)
      for (const missing of known.sources.missing) call.reader.missing.add(missing)
      return { body: known.body }
    }
  }
  if (!pages.isWorthCaching(key)) return yield* make()
  const record: PageRecord = { sources: new PageSources(), reads: [] }
  const turn = turnNumber()
  const made = yield* make(record)
  // What it shows may have changed between its turns.
  if (turnNumber() !== turn) return made
  // A page that ended early says less than the next one would, and whether one is empty is asked later.
  if (!record.sources.areComplete || isTimeUp() || showsNothing(made)) return made
  const written = jsonBytes(made.body)
  const filtered = pages.add(key, record, written)
  answerMemory.giveBack(written)
  return { body: filtered }
}

function keyOf(nsid: string, { viewer, params }: Call<never>): string {
  return `${nsid} ${viewer?.uid} ${JSON.stringify(params)}`
}

function isSameRead(read: Read, other: Read): boolean {
  const names = Object.keys(other) as (keyof Read)[]
  if (names.length !== Object.keys(read).length) return false
  return names.every((name) =>
    name === 'items' ? areSame(read.items, other.items) : read[name] === other[name],
  )
}

function areSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  if (some.length !== others.length) return false
  for (let i = 0; i < some.length; i++) if (some[i] !== others[i]) return false
  return true
}
