// A post with a video for the demo: two seconds of picture and sound, from the PDS of its author.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { blobCid } from '../../test/support/blob-host.ts'
import type { SimulatedAccount } from '../../test/support/simulated-network/repository.ts'
import type { Simulation } from '../simulation.ts'

const FILE = join(import.meta.dirname, '../../test/fixtures/video/pictures-and-sound.mp4')

export const video = readFileSync(FILE)
const cid = blobCid(video)

export const videoBlobs = new Map([[cid, video]])

/** @returns where the client shows it */
export function postVideo(author: SimulatedAccount, emit: Simulation['emit']): string {
  const atMs = Date.now()
  const embed = {
    $type: 'app.bsky.embed.video',
    video: { $type: 'blob', ref: { $link: cid }, mimeType: 'video/mp4', size: video.length },
    alt: 'A test picture that moves',
    aspectRatio: { width: 4, height: 3 },
  }
  const value = {
    $type: 'app.bsky.feed.post',
    text: 'Two seconds of moving pictures, cut where you read this.',
    createdAt: new Date(atMs).toISOString(),
    embed,
  }
  const commit = author.put({ collection: 'app.bsky.feed.post', value, atMs })
  emit(commit)
  return `/read/profile/${author.did}/post/${commit.rkey}`
}
