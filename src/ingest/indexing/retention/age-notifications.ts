// Removes non-members' notifications past the age that the operator configured, a slice at a time, in order
// of arrival; all of them if none are to be kept any more. Members' notifications stay, up to their maximum
// number (data/store/notifications/notifications.ts).

import { deleteNotification } from '../../../data/store/members/member-rows.ts'
import {
  agingReached,
  notificationsFrom,
  setAgingReached,
} from '../../../data/store/notifications/notifications.ts'
import { type IndexContext, isMember } from '../index-context.ts'

const LOOKED_AT = 200

/** @returns whether more may be due by now */
export function ageNotifications(
  ctx: IndexContext,
  isTimeOver: () => boolean = () => false,
): boolean {
  const reached = agingReached(ctx.db)
  const isStored = ctx.othersNotifiedMs > 0
  if (reached === undefined) {
    if (isStored) setAgingReached(ctx.db, 0)
    return isStored
  }
  const before = isStored ? ctx.now - ctx.othersNotifiedMs : Number.POSITIVE_INFINITY
  const page = notificationsFrom(ctx.db, reached, LOOKED_AT)
  let last = reached
  let isOver = page.length === 0
  for (const { id, uid, sortAt } of page) {
    const isMembers = isMember(ctx, uid)
    isOver = !isMembers && sortAt >= before
    if (isOver || isTimeOver()) break
    if (!isMembers) deleteNotification(ctx.db, id)
    last = id
  }
  if (page.length === 0 && !isStored) setAgingReached(ctx.db, undefined)
  else if (last !== reached) setAgingReached(ctx.db, last)
  return !isOver
}
