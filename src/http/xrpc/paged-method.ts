// A method that answers page by page: what the page is about, its skeleton (ids), how they are presented
// (hydration, rules and views: present.ts), and the body around them. Cursors are dealt with here: bad
// ones are refused by the skeleton, old clients' retired ones get an empty page, as in the reference.

import { isRetiredCursor } from '../../answers/skeleton/page-cursor.ts'
import type { PlaceInList, SkeletonPage } from '../../answers/skeleton/skeleton-page.ts'
import { type ReadyJson, readyArray } from '../../answers/views/ready-json.ts'
import { timed } from '../../base/obs/stopwatch.ts'
import type { Method, MethodResult } from '../server/method.ts'
import type { AppContext } from './app-context.ts'
import type { Call } from './call.ts'
import { type CallOf, type MethodDefinition, type QueryOptions, query } from './define.ts'
import { type FilledPage, fillPage } from './fill-page.ts'
import { andThen, type MaybeLater } from './maybe-later.ts'

/** Byte text of a view (ready-json.ts), or the view; undefined where it is not shown. */
export type View = string | object | undefined

type PageParams = { limit: number; cursor?: string }

/** One page of one call, all of its reads together. */
export type Page<C, About, Read> = {
  call: C
  about: About
  /** What skeletons gave so far, those of the pages below which fill this one up included. */
  reads: readonly Read[]
}

/** A part of a page to be read: so many below a cursor. */
export type PagePart<C, About> = { call: C; about: About; place: PlaceInList }

export type Views = ReadyJson | readonly object[]

type PageSteps<C, About, Read extends SkeletonPage<unknown>> = {
  /** What the page is about; throws where that is not there, or not for this viewer. */
  about?(app: AppContext, call: C): MaybeLater<About>
  /** @throws BadCursorError */
  skeleton(app: AppContext, part: PagePart<C, NoInfer<About>>): Read
  /** Leaves out what is not to be shown yet; on the last page it is shown all the same. */
  postpone?(
    app: AppContext,
    items: readonly Item<Read>[],
    page: Page<C, NoInfer<About>, NoInfer<Read>>,
  ): readonly Item<Read>[]
  /** Whether more may come: then a last page of nothing but what is postponed stays empty. */
  mayGoOn?(about: NoInfer<About>): boolean
  /** In order; views of those that are shown. */
  present(
    app: AppContext,
    items: readonly Item<Read>[],
    page: Page<C, NoInfer<About>, NoInfer<Read>>,
  ): readonly View[]
  /** The field of the views, which the cursor follows; or the whole body. */
  body: string | ((views: Views, page: FilledPageOf<C, NoInfer<About>, NoInfer<Read>>) => object)
  /** A page that is half full is left at that. */
  halfIsEnough?: boolean
  /** A cursor that means the end. */
  end?(call: C): string | undefined
}

type Item<Read extends SkeletonPage<unknown>> = NoInfer<Read['items'][number]>
type FilledPageOf<C, About, Read> = Page<C, About, Read> & {
  app: AppContext
  /** Of the next page. */
  cursor: string | undefined
  /** How many views there are. */
  shown: number
}

export function pagedMethod<Auth extends Method['auth'], About, Read extends SkeletonPage<unknown>>(
  nsid: string,
  options: QueryOptions<Auth>,
  steps: PageSteps<CallOf<Auth>, About, Read>,
): MethodDefinition {
  return query(nsid, options, (app, call) =>
    andThen(steps.about?.(app, call) as MaybeLater<About>, (about) =>
      answer(app, steps, { call, about }),
    ),
  )
}

function answer<C extends Call<never>, About, Read extends SkeletonPage<unknown>>(
  app: AppContext,
  steps: PageSteps<C, About, Read>,
  { call, about }: { call: C; about: About },
): MethodResult {
  const { limit, cursor } = call.params as PageParams
  const end = steps.end?.(call)
  const reads: Read[] = []
  /** Items above the first that was postponed; undefined where none was. */
  let above: number | undefined

  function read(part: { limit: number; enough: number; mayPostpone: boolean }) {
    reads.length = 0
    above = undefined
    let seen = 0
    return fillPage({ ...part, cursor, end }, (from, count) => {
      const place = { limit: count, cursor: from }
      const found = timed('skeleton', () => steps.skeleton(app, { call, about, place }))
      reads.push(found)
      const page = { call, about, reads }
      const shown = (part.mayPostpone && steps.postpone?.(app, found.items, page)) || found.items
      if (shown.length < found.items.length)
        above ??= seen + found.items.findIndex((item) => !shown.includes(item))
      seen += found.items.length
      return {
        items: steps.present(app, shown, page).filter((view) => view !== undefined),
        cursor: found.cursor,
        isCut: found.isCut,
        isSplit: found.isSplit,
      }
    })
  }

  /**
   * A page ends above what is postponed, so that this is on the next one; but where that would leave little, it goes
   * on below. On the last page nothing is postponed unless more may come.
   */
  function wholePage(): FilledPage<NonNullable<View>> {
    const enough = steps.halfIsEnough ? Math.ceil(limit / 2) : limit
    const page = read({ limit, enough, mayPostpone: true })
    if (above === undefined) return page
    const isLast = page.cursor === undefined
    if (isLast && !steps.mayGoOn?.(about)) return read({ limit, enough, mayPostpone: false })
    if (isLast ? above > 0 : above * 2 >= limit) {
      const aboveIt = read({ limit: above, enough: 0, mayPostpone: true })
      if (!aboveIt.isSplit) return aboveIt
    }
    if (!isLast) return page
    return page.items.length * 2 < reads[0]!.items.length ? NOTHING : page
  }

  return { body: bodyOf(isRetiredCursor(cursor) ? NOTHING : wholePage()) }

  function bodyOf(page: FilledPage<NonNullable<View>>): object {
    const views = arrayOf(page.items)
    if (typeof steps.body === 'string') return { [steps.body]: views, cursor: page.cursor }
    const { cursor, items } = page
    return steps.body(views, { app, call, about, reads, cursor, shown: items.length })
  }
}

const NOTHING: FilledPage<NonNullable<View>> = { items: [], cursor: undefined }

function arrayOf(views: readonly NonNullable<View>[]): Views {
  return typeof views[0] === 'string' ? readyArray(views as string[]) : (views as object[])
}
