// Pictures and videos from a real PDS through our own routes, found by the addresses in views, as a client
// finds them.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { app } from '@bsky/sdk/lexicons'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { firstVariant } from '../../support/playlists.ts'
import type { World } from '../support/world.ts'

const VIDEO = join(import.meta.dirname, '../../fixtures/video/pictures-and-sound.mp4')

export function mediaChapter(world: () => World): void {
  test('an avatar is served from its PDS, in the size that the client requests', async () => {
    const alice = await world().person('alice')
    const background = { r: 200, g: 30, b: 60 }
    const picture = sharp({ create: { width: 900, height: 600, channels: 3, background } })
    const { data } = await alice.agent.uploadBlob(await picture.png().toBuffer(), {
      encoding: 'image/png',
    })
    await alice.agent.upsertProfile((profile) => ({ ...profile, avatar: data.blob }))
    const avatar = await eventually(async () => {
      const profile = await alice.client().call(app.bsky.actor.getProfile, { actor: alice.did })
      expect(profile.avatar).toContain(`${world().slipstream.origin}/img/avatar/plain/`)
      return profile.avatar as string
    })
    const sizes = { avatar: 600, avatar_thumbnail: 128 }
    for (const [preset, side] of Object.entries(sizes)) {
      const answer = await fetch(avatar.replace('/avatar/', `/${preset}/`))
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/webp'])
      const made = sharp(Buffer.from(await answer.arrayBuffer()))
      expect(await made.metadata()).toMatchObject({ width: side, height: side })
      const { dominant } = await made.stats()
      expect(Math.abs(dominant.r - background.r)).toBeLessThan(16)
    }
  })

  test('a video is streamed from its PDS, piece by piece', async () => {
    const bob = await world().person('bob')
    const { data } = await bob.agent.uploadBlob(readFileSync(VIDEO), { encoding: 'video/mp4' })
    await bob.agent.post({
      text: 'moving',
      embed: { $type: 'app.bsky.embed.video', video: data.blob },
    })
    const playlist = await eventually(async () => {
      const { feed } = await bob.client().call(app.bsky.feed.getAuthorFeed, { actor: bob.did })
      const embed = feed[0]?.post.embed as { playlist?: string } | undefined
      expect(embed?.playlist).toContain('/playlist.m3u8')
      return embed!.playlist!
    })
    const { init, segments } = await firstVariant(playlist)
    expect(segments.length).toBeGreaterThan(1)
    for (const piece of [init, ...segments]) expect(piece.length).toBeGreaterThan(500)
  })
}
