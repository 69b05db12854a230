// Methods that answer a search page by page, as paged-method.ts does for what this thread reads itself.

import { isRetiredCursor } from '../../../answers/skeleton/page-cursor.ts'
import type { SkeletonPage } from '../../../answers/skeleton/skeleton-page.ts'
import { andThen, inParts, inTurns, type MaybeLater } from '../../../base/util/turn.ts'
import type { Method, MethodResult } from '../../server/method.ts'
import type { AppContext } from '../app-context.ts'
import type { Call } from '../call.ts'
import { type CallOf, type MethodDefinition, type QueryOptions, query } from '../define.ts'
import { type AnswerBudget, createAnswerBudget } from '../paging/answer-budget.ts'
import { fillPageLater } from '../paging/fill-page-later.ts'
import type { FilledPage, PagePart, View } from '../paging/paged-method.ts'
import { notKnownHere } from '../waiting/not-here.ts'

type Found<C, About> = { app: AppContext; call: C; about: About; cursor: string | undefined }

type SearchSteps<C, About, Item> = {
  /** What is searched for; throws if the caller may not search for it. */
  about?(app: AppContext, call: C): MaybeLater<About>
  /** @throws BadCursorError */
  skeleton(app: AppContext, part: PagePart<C, NoInfer<About>>): MaybeLater<SkeletonPage<Item>>
  /** Views of the shown items, in order; a part of a page at a time. */
  present(app: AppContext, items: readonly NoInfer<Item>[], page: { call: C }): readonly View[]
  /** Whether an empty list says nothing, since the items were never here: it is refused with a 503. */
  isUnknown?(app: AppContext, call: C): MaybeLater<boolean>
  /** The name of the field with the views, followed by the cursor; or the whole body. */
  body: string | ((views: readonly object[], found: Found<C, NoInfer<About>>) => MaybeLater<object>)
}

export function searchedMethod<Auth extends Method['auth'], About, Item>(
  nsid: string,
  options: QueryOptions<Auth>,
  steps: SearchSteps<CallOf<Auth>, About, Item>,
): MethodDefinition {
  return query(nsid, options, (app, call) =>
    andThen(steps.about?.(app, call) as MaybeLater<About>, (about) =>
      answer(app, steps, { call, about }),
    ),
  )
}

function answer<C extends Call<never>, About, Item>(
  app: AppContext,
  steps: SearchSteps<C, About, Item>,
  { call, about }: { call: C; about: About },
): MaybeLater<MethodResult> {
  const { limit, cursor } = call.params as { limit: number; cursor?: string }
  const present = (items: readonly Item[]) => steps.present(app, items, { call })
  const readInto = (budget: AnswerBudget) => (from: string | undefined, count: number) =>
    andThen(steps.skeleton(app, { call, about, range: { limit: count, cursor: from } }), (found) =>
      andThen(
        inTurns(inParts(found.items, (some) => budget.present(some, present))),
        (views): FilledPage<NonNullable<View>> => ({
          items: views.filter((view) => view !== undefined),
          cursor: found.cursor,
          ...((found.isCut || budget.isFull) && { isCut: true }),
        }),
      ),
    )
  const page = isRetiredCursor(cursor) ? { items: [], cursor: undefined } : filled(limit)
  return andThen(page, ({ items, cursor: next }) => {
    const isAllEmpty = items.length === 0 && next === undefined && cursor === undefined
    const isUnknown = isAllEmpty && steps.isUnknown ? steps.isUnknown(app, call) : false
    return andThen(isUnknown, (cannotTell) => {
      if (cannotTell) throw notKnownHere()
      return found(items, next)
    })
  })

  /** What is more than an answer holds is on the next page. */
  function filled(most: number): MaybeLater<FilledPage<NonNullable<View>>> {
    const budget = createAnswerBudget(call)
    return andThen(fillPageLater({ limit: most, cursor }, readInto(budget)), (complete) =>
      budget.isFull && budget.presented < most ? filled(budget.presented) : complete,
    )
  }

  function found(items: readonly object[], next: string | undefined): MaybeLater<MethodResult> {
    const { body } = steps
    if (typeof body === 'string') return { body: { [body]: items, cursor: next } }
    return andThen(body(items, { app, call, about, cursor: next }), (complete) => ({
      body: complete,
    }))
  }
}
