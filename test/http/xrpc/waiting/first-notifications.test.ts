// A newcomer's first request is for their notifications, and only then does the ingest thread learn of them.

import { afterEach, expect, test } from 'vitest'
import { didOf } from '../../../support/records.ts'
import { createServingWorld, type ServingWorld } from '../../../support/serving-world.ts'

const [alice, bob] = ['alice', 'bob'].map(didOf) as [string, string]

let w: ServingWorld
afterEach(() => w.dispose())

test.each(['listNotifications', 'getUnreadCount'])(
  '%s waits until earlier notifications are collected',
  async (method) => {
    let isNotified = false
    w = createServingWorld({
      scope: 'community',
      members: ['bob'],
      firstPageMaxWaitMs: 60_000,
      onViewer: (did) => {
        setTimeout(() => {
          w.world.request({ id: 1, kind: 'member-seen', did })
          isNotified = true
        }, 100)
      },
    })
    w.profile(bob, { displayName: 'Bob' })
    w.follow(bob, alice)
    const answer = await w.get<{ notifications?: { reason: string }[] }>(
      `app.bsky.notification.${method}`,
      {},
      alice,
    )
    expect(isNotified).toBe(true)
    if (method === 'listNotifications')
      expect(answer.notifications).toMatchObject([{ reason: 'follow' }])
  },
)
