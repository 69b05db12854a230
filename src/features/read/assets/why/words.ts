// What the page about a post's place in one's timeline says.

import { phrasesOf } from '../page/words.ts'

const table = {
  there: [
    'This post is in your timeline.',
    'Dieser Beitrag ist in deiner Timeline.',
    'この投稿はあなたのタイムラインにあります。',
  ],
  notThere: [
    'This post is not in your timeline.',
    'Dieser Beitrag ist nicht in deiner Timeline.',
    'この投稿はあなたのタイムラインにありません。',
  ],
  own: ['It is yours.', 'Er ist von dir.', 'あなたの投稿です。'],
  followed: [
    'You follow its author.',
    'Du folgst dem Konto, das ihn schrieb.',
    '投稿者をフォローしています。',
  ],
  'not-followed': [
    'You do not follow its author.',
    'Du folgst dem Konto nicht, das ihn schrieb.',
    '投稿者をフォローしていません。',
  ],
  reposted: [
    'Accounts you follow reposted it: {count}.',
    'Konten, denen du folgst, haben ihn repostet: {count}.',
    'フォロー中の {count} 人がリポストしました。',
  ],
  'not-drawn': [
    'It was not drawn: your timeline takes only some of the posts.',
    'Er wurde nicht ausgelost: Deine Timeline nimmt nur einen Teil der Beiträge.',
    '抽選で外れました。タイムラインには一部の投稿だけが入ります。',
  ],
  muted: [
    'You mute an account that brings it.',
    'Du hast ein Konto stummgeschaltet, das ihn bringt.',
    '関係するアカウントをミュートしています。',
  ],
  blocked: [
    'There is a block between you and an account that it is about.',
    'Zwischen dir und einem beteiligten Konto besteht eine Blockierung.',
    '関係するアカウントとの間にブロックがあります。',
  ],
  'reposts-muted': [
    'You mute the reposts of that account.',
    'Du hast die Reposts dieses Kontos stummgeschaltet.',
    'そのアカウントのリポストをミュートしています。',
  ],
  'quotes-muted': [
    'You mute the quote posts of its author.',
    'Du hast die Zitate dieses Kontos stummgeschaltet.',
    '投稿者の引用投稿をミュートしています。',
  ],
  'not-here': [
    'This server does not have it.',
    'Dieser Server hat ihn nicht.',
    'このサーバーにはありません。',
  ],
  whole: [
    'Your timeline takes every post of those you follow.',
    'Deine Timeline nimmt jeden Beitrag von allen, denen du folgst.',
    'フォロー中の人の投稿はすべてタイムラインに入ります。',
  ],
  share: [
    'Your timeline takes about {percent} % of the posts of those you follow. The same post is drawn alike on every device.',
    'Deine Timeline nimmt etwa {percent} % der Beiträge von allen, denen du folgst; ausgelost, und auf jedem Gerät gleich.',
    'フォロー中の人の投稿のうち約 {percent} % が抽選で入ります（どの端末でも同じ結果です）。',
  ],
  address: ['Address of a post', 'Adresse eines Beitrags', '投稿のアドレス'],
  noAddress: [
    'This is not the address of a post.',
    'Das ist keine Adresse eines Beitrags.',
    '投稿のアドレスではありません。',
  ],
  alone: ['Only you can see this.', 'Das siehst nur du.', 'これはあなただけに表示されます。'],
} as const satisfies Record<string, readonly [string, string, string]>

export const phrase = phrasesOf(table)

/** @param reason - one of the server's; a newer one is none here */
export function reasonPhrase(reason: string, count: number): string | undefined {
  return Object.hasOwn(table, reason) ? phrase(reason as keyof typeof table, { count }) : undefined
}
