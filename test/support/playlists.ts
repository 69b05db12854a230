// Follows a video's playlists as a player does, down to the bytes.

import { expect } from 'vitest'

export async function bytesOf(url: string): Promise<Buffer> {
  const response = await fetch(url)
  expect(response.status, url).toBe(200)
  return Buffer.from(await response.arrayBuffer())
}

/** Absolute URLs of a playlist's entries, line by line. */
export async function namedBy(url: string): Promise<string[]> {
  const lines = (await bytesOf(url)).toString().split('\n')
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => new URL(line, url).href)
}

/** The first variant of a video, by the URL of its master playlist. */
export const firstVariant = (master: string) => variantAt(master, 0)

/** The variant at an index of that playlist. */
export async function variantAt(master: string, position: number) {
  const url = (await namedBy(master))[position]!
  const playlist = (await bytesOf(url)).toString()
  const head = /#EXT-X-MAP:URI="([^"]+)"/.exec(playlist)?.[1]
  const init = head ? await bytesOf(new URL(head, url).href) : Buffer.alloc(0)
  const segments = await Promise.all((await namedBy(url)).map(bytesOf))
  return { url, playlist, init, segments }
}
