// The dialog for a post, a reply or a quote. What is typed is kept with every key, and so are pictures; a post that
// could not be sent stays in the dialog.

import type { AppBskyFeedDefs } from '@atproto/api'
import { language } from '../../../sign-in/assets/language.ts'
import { ask, me } from '../page/api.ts'
import { button, byId, el, freshId } from '../page/dom.ts'
import { attempt, toast } from '../page/toast.ts'
import { t } from '../page/words.ts'
import { nameOf } from '../people/people.ts'
import {
  begunFor,
  type Draft,
  deleteDraft,
  picturesBegun,
  picturesOf,
  saveDraft,
  storeBegun,
  storeBegunPictures,
  type Target,
} from './drafts.ts'
import { facetsOf, leftOf } from './facets.ts'
import { MAX_PICTURES, type Picture, prepare } from './pictures.ts'
import { create, type Ref, upload } from './records.ts'
import { phrase } from './words.ts'

type Post = AppBskyFeedDefs.PostView
export type Composing = {
  replyTo?: Post | undefined
  quote?: Post | undefined
  /** What it goes on with: sent, the draft is gone. */
  draft?: Draft | undefined
  /** @param text - what the draft says now; undefined once it is sent */
  onDraft?: ((text: string | undefined) => void) | undefined
}

const MOST_ABOUT = 200

/** @param onPosted - called once it is in the member's repository */
export function showDialog(
  { replyTo, quote, draft, onDraft }: Composing,
  onPosted: (ref: Ref) => void,
): void {
  const dialog = byId<HTMLDialogElement>('compose')
  const pictures: Picture[] = []
  const target = { by: me(), replyTo: replyTo?.uri, quote: quote?.uri, draft: draft?.id }
  const area = el('textarea', {
    rows: 6,
    dir: 'auto',
    id: freshId('text'),
    'aria-label': phrase('whatsUp'),
    placeholder: phrase('whatsUp'),
  })
  area.value = begunFor(target) ?? draft?.draft.posts[0]?.text ?? ''
  const left = el('span', { class: 'aside', role: 'status' })
  const list = el('ul', { class: 'new-pictures' })
  const problem = el('p', { class: 'problem', role: 'alert' })
  const say = (words: string) => problem.replaceChildren(words)
  const trying = (work: () => Promise<void>) => {
    say('')
    return attempt(work, say)
  }
  const storeAll = () => void storeBegunPictures(target, pictures)
  const send = el('button', { type: 'submit', class: 'strong' }, t('post'))
  const show = () => {
    const count = leftOf(area.value)
    left.textContent = phrase('charactersLeft', { count })
    left.classList.toggle('problem', count < 0)
    send.disabled = count < 0 || (area.value.trim() === '' && pictures.length === 0)
    list.replaceChildren(
      ...pictures.map((picture, i) =>
        pictureRow(picture, i, storeAll, () => {
          pictures.splice(i, 1)
          storeAll()
          show()
        }),
      ),
    )
  }
  area.addEventListener('input', () => {
    storeBegun(target, area.value)
    show()
  })
  const files = el('input', {
    type: 'file',
    accept: 'image/*',
    multiple: true,
    id: freshId('files'),
    class: 'unseen',
  })
  files.addEventListener(
    'change',
    () =>
      void trying(async () => {
        const chosen = [...(files.files ?? [])]
        files.value = ''
        for (const file of chosen) {
          if (pictures.length < MAX_PICTURES) pictures.push(await prepare(file))
          else say(phrase('mostPictures', { count: MAX_PICTURES }))
        }
      }).then(() => {
        storeAll()
        show()
      }),
  )
  const close = () => dialog.close()
  const end = (text?: string) => {
    storeBegun(target, '')
    void storeBegunPictures(target, [])
    onDraft?.(text)
    close()
  }
  const form = el(
    'form',
    {
      onsubmit: (event: Event) => {
        event.preventDefault()
        send.disabled = true
        void trying(async () => {
          const ref = await publish(area.value, { replyTo, quote, pictures })
          end()
          toast(phrase('posted'))
          onPosted(ref)
          if (draft) await deleteDraft(draft)
        }).then(show)
      },
    },
    replyTo && about(replyTo, t('replyTo', { name: nameOf(replyTo.author) })),
    quote && about(quote, `${t('quote')}: ${nameOf(quote.author)}`),
    area,
    list,
    el(
      'div',
      { class: 'row wrap' },
      el('label', { class: 'button', for: files.id }, phrase('addPictures')),
      files,
      left,
    ),
    el(
      'div',
      { class: 'row wrap' },
      send,
      button(
        phrase('saveDraft'),
        () =>
          void trying(async () => {
            await saveDraft({ text: area.value, quote: quote && refOf(quote), pictures }, draft?.id)
            end(area.value)
            toast(phrase('draftSaved'))
          }),
      ),
      button(t('close'), close, { class: 'quiet' }),
    ),
    problem,
  )
  area.addEventListener('keydown', (event) => {
    const isSending = event.key === 'Enter' && (event.ctrlKey || event.metaKey)
    if (isSending && !send.disabled && !event.isComposing) form.requestSubmit(send)
  })
  dialog.setAttribute('aria-label', t(replyTo ? 'reply' : 'write'))
  dialog.replaceChildren(form)
  show()
  dialog.showModal()
  area.focus()
  void picturesStored(target, draft).then((found) => {
    pictures.push(...found)
    show()
  })
}

/** The post that one writes about, as far as one needs it to write. */
function about({ record }: Post, words: string): HTMLElement {
  const { text = '' } = record as { text?: string }
  return el(
    'div',
    { class: 'aside', dir: 'auto' },
    el('p', {}, words),
    el('p', {}, text.slice(0, MOST_ABOUT)),
  )
}

async function picturesStored(target: Target, draft: Draft | undefined): Promise<Picture[]> {
  const begun = await picturesBegun(target)
  if (begun.length > 0 || !draft?.draft.posts[0]?.embedImages) return begun
  const drafted = await picturesOf(draft)
  if (drafted.length === 0) toast(phrase('picturesElsewhere'))
  return drafted
}

function pictureRow(
  picture: Picture,
  i: number,
  store: () => void,
  remove: () => void,
): HTMLElement {
  const alt = el('textarea', {
    rows: 2,
    dir: 'auto',
    'aria-label': phrase('altText', { number: i + 1 }),
    placeholder: phrase('altText', { number: i + 1 }),
    maxlength: 2_000,
  })
  alt.value = picture.alt
  alt.addEventListener('input', () => {
    picture.alt = alt.value
  })
  alt.addEventListener('change', store)
  return el(
    'li',
    { class: 'row' },
    el('img', { src: picture.url, alt: '', width: 80, height: 80 }),
    alt,
    button(t('remove'), remove, { class: 'quiet' }),
  )
}

async function publish(
  text: string,
  { replyTo, quote, pictures }: Composing & { pictures: readonly Picture[] },
): Promise<Ref> {
  const facets = await facetsOf(text, async (handle) => {
    const { did } = await ask<{ did: string }>('com.atproto.identity.resolveHandle', { handle })
    return did
  })
  return create('app.bsky.feed.post', {
    text: text.trimEnd(),
    langs: [language()],
    ...(facets.length > 0 && { facets }),
    ...(replyTo && { reply: { root: rootOf(replyTo), parent: refOf(replyTo) } }),
    ...embedOf(await uploaded(pictures), quote),
  })
}

async function uploaded(pictures: readonly Picture[]): Promise<object[]> {
  const images: object[] = []
  for (const { file, alt, width, height } of pictures) {
    images.push({ image: await upload(file), alt, aspectRatio: { width, height } })
  }
  return images
}

function embedOf(images: object[], quote: Post | undefined): { embed?: object } {
  const media = { $type: 'app.bsky.embed.images', images }
  const record = quote && { $type: 'app.bsky.embed.record', record: refOf(quote) }
  if (images.length > 0 && record)
    return { embed: { $type: 'app.bsky.embed.recordWithMedia', record, media } }
  if (images.length > 0) return { embed: media }
  return record ? { embed: record } : {}
}

const refOf = ({ uri, cid }: Post): Ref => ({ uri, cid })

function rootOf(post: Post): Ref {
  const { reply } = post.record as { reply?: { root?: Ref } }
  return reply?.root ? { uri: reply.root.uri, cid: reply.root.cid } : refOf(post)
}
