// Pictures of what is not sent yet, in the browser's cache: with a text that was begun, and with a draft, of which
// the member's server only has their names (app.bsky.draft.defs#draftEmbedLocalRef).

import type { Picture } from './pictures.ts'

const NAME = 'begun-pictures'
/** As many texts as are kept, and some drafts. */
const MOST = 40

/** @param path - names them; those that it named before go */
export async function storePictures(path: string, pictures: readonly Picture[]): Promise<void> {
  const cache = await caches.open(NAME)
  await cache.delete(path)
  if (pictures.length === 0) return
  const form = new FormData()
  for (const { file, ...about } of pictures) {
    form.append('file', file)
    form.append('about', JSON.stringify(about))
  }
  await cache.put(path, new Response(form))
  for (const old of (await cache.keys()).slice(0, -MOST)) await cache.delete(old)
}

export async function storedPictures(path: string): Promise<Picture[]> {
  const found = await caches.match(path, { cacheName: NAME })
  if (!found) return []
  const form = await found.formData()
  const abouts = form.getAll('about')
  return (form.getAll('file') as File[]).map((file, i) => ({
    ...(JSON.parse(abouts[i] as string) as Picture),
    file,
    url: URL.createObjectURL(file),
  }))
}
