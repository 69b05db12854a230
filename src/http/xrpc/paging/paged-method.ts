// Methods that answer page by page: the subject of the page, its skeleton (ids), the presentation (hydration,
// rules and views: present.ts), and the body. Cursors are handled here: the skeleton refuses bad ones, and
// retired ones of old clients get an empty page, as in the reference.

import type { PageSources } from '../../../answers/cache/page-sources.ts'
import { isRetiredCursor } from '../../../answers/skeleton/page-cursor.ts'
import type { PlaceInList, SkeletonPage } from '../../../answers/skeleton/skeleton-page.ts'
import { timed } from '../../../base/obs/stopwatch.ts'
import type { Method, MethodResult } from '../../server/method.ts'
import type { AppContext } from '../app-context.ts'
import type { Call } from '../call.ts'
import { type CallOf, type MethodDefinition, type QueryOptions, query } from '../define.ts'
import { andThen, type MaybeLater } from '../waiting/maybe-later.ts'
import { notKnownHere } from '../waiting/not-here.ts'
import { type FilledPage, fillPage } from './fill-page.ts'
import { keptOrMade, type PageRecord } from './kept-page.ts'

/** A view, maybe as ready JSON; undefined if it is not shown. */
export type View = object | undefined

type PageParams = { limit: number; cursor?: string }

/** The page of one call, with all of its reads. */
export type Page<C, About, Read> = {
  call: C
  about: About
  /** Skeletons read so far, including those of the pages below that fill this one up. */
  reads: readonly Read[]
  /** Where to note what the page is written from, if it may be sent again. */
  sources?: PageSources | undefined
}

/** A part of a page: `limit` items below a cursor. */
export type PagePart<C, About> = { call: C; about: About; place: PlaceInList }

type PageSteps<C, About, Read extends SkeletonPage<unknown>> = {
  /** The subject of the page; throws if it does not exist, or not for this viewer. */
  about?(app: AppContext, call: C): MaybeLater<About>
  /** @throws BadCursorError */
  skeleton(app: AppContext, part: PagePart<C, NoInfer<About>>): Read
  /** Leaves out items that should not be shown yet; the last page shows them all the same. */
  postpone?(
    app: AppContext,
    items: readonly Item<Read>[],
    page: Page<C, NoInfer<About>, NoInfer<Read>>,
  ): readonly Item<Read>[]
  /** Whether more items may arrive: a last page with only postponed items then stays empty. */
  mayGoOn?(about: NoInfer<About>): boolean
  /**
   * Whether an empty list says nothing, since the items were never here: it is refused with a 503.
   */
  isUnknown?(app: AppContext, about: NoInfer<About>, call: C): boolean
  /** Views of the shown items, in order. */
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
  mayBeKept?(about: NoInfer<About>): boolean
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
      if (!steps.mayBeKept?.(about)) return make()
      const skeleton = (place: PlaceInList) => steps.skeleton(app, { call, about, place })
      return keptOrMade(app, { nsid, call }, { skeleton, make })
    }),
  )
}

function answer<C extends Call<never>, About, Read extends SkeletonPage<unknown>>(
  app: AppContext,
  steps: PageSteps<C, About, Read>,
  { call, about, record }: { call: C; about: About; record?: PageRecord | undefined },
): MethodResult {
  const { limit, cursor } = call.params as PageParams
  const end = steps.end?.(call)
  const reads: Read[] = []
  /** Items above the first postponed one; undefined if none was postponed. */
  let above: number | undefined

  function read(part: { limit: number; enough: number; mayPostpone: boolean }) {
    reads.length = 0
    above = undefined
    let seen = 0
    return fillPage({ ...part, cursor, end }, (from, count) => {
      const place = { limit: count, cursor: from }
      const found = timed('skeleton', () => steps.skeleton(app, { call, about, place }))
      reads.push(found)
      record?.reads.push({ place, found })
      const page = { call, about, reads, sources: record?.sources }
      const shown = (part.mayPostpone && steps.postpone?.(app, found.items, page)) || found.items
      if (shown.length < found.items.length) {
        record?.sources.refuse()
        above ??= seen + found.items.findIndex((item) => !shown.includes(item))
      }
      seen += found.items.length
      return {
        items: steps.present(app, shown, page).filter((view) => view !== undefined),
        cursor: found.cursor,
        isCut: found.isCut,
      }
    })
  }

  /**
   * Ends a page above the first postponed item, which moves to the next page; if that would leave
   * little, the page continues below it. The last page postpones nothing unless more items may
   * arrive.
   */
  function wholePage(): FilledPage<NonNullable<View>> {
    const enough = steps.halfIsEnough ? Math.ceil(limit / 2) : limit
    const page = read({ limit, enough, mayPostpone: true })
    if (above === undefined) return page
    const isLast = page.cursor === undefined
    if (isLast && !steps.mayGoOn?.(about)) return read({ limit, enough, mayPostpone: false })
    if (isLast ? above > 0 : above * 2 >= limit) {
      return read({ limit: above, enough: 0, mayPostpone: true })
    }
    if (!isLast) return page
    return page.items.length * 2 < reads[0]!.items.length ? NOTHING : page
  }

  const page = isRetiredCursor(cursor) ? NOTHING : wholePage()
  const isAllEmpty = page.items.length === 0 && page.cursor === undefined && cursor === undefined
  if (isAllEmpty && steps.isUnknown?.(app, about, call)) throw notKnownHere()
  return { body: bodyOf(page) }

  function bodyOf(page: FilledPage<NonNullable<View>>): object {
    const { cursor, items: views } = page
    if (typeof steps.body === 'string') return { [steps.body]: views, cursor }
    return steps.body(views, { app, call, about, reads, cursor })
  }
}

const NOTHING: FilledPage<NonNullable<View>> = { items: [], cursor: undefined }
