// Fetches a few pictures of a timeline's posts through our own route and checks that they are pictures.

import sharp from 'sharp'
import type { Dependencies } from './checking.ts'
import type { Item } from './compare-timeline.ts'

const MAX_PICTURES = 3

export async function comparePictures(
  { subject, check }: Dependencies,
  items: readonly Item[],
): Promise<void> {
  const visible = items.flatMap(({ post }) =>
    (post.embed?.images ?? []).map(({ thumb }) => ({ thumb, uri: post.uri })),
  )
  for (const { thumb, uri } of visible.slice(0, MAX_PICTURES)) {
    const { pathname, search } = new URL(thumb)
    const { status, bytes } = await subject.picture(pathname + search)
    const width = status === 200 ? await widthOf(bytes) : undefined
    check(width === 400, {
      what: 'picture',
      about: uri,
      expected: 'a picture of 400 pixels',
      got: width ?? `${status} ${bytes.subarray(0, 100)}`,
    })
  }
}

async function widthOf(bytes: Buffer): Promise<number | undefined> {
  try {
    return (await sharp(bytes).stats()) && (await sharp(bytes).metadata()).width
  } catch {
    return undefined
  }
}
