// An account that joins after the events is notified of the same ones as a member at the time.

import { afterEach, expect, test } from 'vitest'
import { notified } from '../../../../../support/notifications.ts'
import { didOf } from '../../../../../support/records.ts'
import { createServingWorld, type ServingWorld } from '../../../../../support/serving-world.ts'

const [alice, bob, carla, dan] = ['alice', 'bob', 'carla', 'dan'].map(didOf) as [
  string,
  string,
  string,
  string,
]

let w: ServingWorld
afterEach(() => w.dispose())

function act(): { text: string; root: string } {
  for (const did of [alice, bob, carla, dan]) w.profile(did, { displayName: did.slice(-4) })
  w.follow(bob, alice)
  const root = w.post(alice)
  const hidden = w.post(bob, { reply: { parent: root } })
  w.threadgate(root, undefined, { hiddenReplies: [hidden.uri] })
  const below = w.post(carla, { reply: { root, parent: hidden } })
  w.post(dan, { reply: { root, parent: below } })
  const visible = w.post(dan, { reply: { parent: root } })
  const gated = w.post(alice)
  w.threadgate(gated, [])
  const reply = w.post(carla, { reply: { parent: gated } })
  w.post(alice, { reply: { root: gated, parent: reply } })
  return { text: visible.uri, root: root.uri }
}

test.each(['before', 'after'])(
  'replies below a hidden one notify nobody who joins %s',
  async (when) => {
    w = createServingWorld({
      scope: 'network',
      members: when === 'before' ? ['alice', 'bob'] : ['bob'],
    })
    const { text, root } = act()
    if (when === 'after') w.member(alice)
    const replies = (await notified(w, alice)).filter((line) => line.startsWith('reply'))
    expect(replies).toEqual([`reply ${text} ${root}`])
  },
)
