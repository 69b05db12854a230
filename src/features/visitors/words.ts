// What the pages for visitors say: English, German, Japanese.

import { inLanguage, type PageLanguage, type Texts } from '../../http/server/page-language.ts'

const table = {
  skip: ['Skip to the content', 'Zum Inhalt', '本文へ移動'],
  enterToAnswer: ['Sign in to answer', 'Anmelden und antworten', 'ログインして返信'],
  enter: ['Sign in', 'Anmelden', 'ログイン'],
  feed: ['Feed', 'Feed', 'フィード'],
  foot: [
    'Shown by Slipstream, an AT Protocol AppView.',
    'Gezeigt von Slipstream, einer AppView des AT Protocol.',
    'AT Protocol の AppView「Slipstream」が表示しています。',
  ],
  posts: ['{count} posts', '{count} Beiträge', '投稿 {count}'],
  followers: ['{count} followers', '{count} Follower', 'フォロワー {count}'],
  postBy: ['Post by {name}', 'Beitrag von {name}', '{name} の投稿'],
  postsWith: ['Posts with {tag}', 'Beiträge mit {tag}', '{tag} の投稿'],
  hiddenPost: [
    'A post that is not shown here.',
    'Ein Beitrag, der hier nicht gezeigt wird.',
    'ここでは表示されない投稿です。',
  ],
  hiddenRecord: [
    'A record that is not shown here.',
    'Etwas, das hier nicht gezeigt wird.',
    'ここでは表示されない内容です。',
  ],
  moreReplies: [
    'There are more replies.',
    'Es gibt weitere Antworten.',
    'ほかにも返信があります。',
  ],
  none: [
    'No posts are shown here.',
    'Hier werden keine Beiträge gezeigt.',
    '表示できる投稿がありません。',
  ],
  older: ['Older', 'Ältere', '以前の投稿'],
  noAlt: ['Picture without a description', 'Bild ohne Beschreibung', '説明のない画像'],
  covered: [
    'Media is covered by a label.',
    'Bilder sind wegen einer Kennzeichnung verborgen.',
    'ラベルにより画像は表示されません。',
  ],
  video: ['Video', 'Video', '動画'],
  nothing: ['Nothing here', 'Hier ist nichts', '何もありません'],
  noAddress: [
    'This address does not name an account or a post. Check its spelling.',
    'Diese Adresse nennt weder Konto noch Beitrag. Prüfe ihre Schreibweise.',
    'このアドレスはアカウントや投稿を指していません。つづりを確認してください。',
  ],
  membersOnly: ['Not shown to visitors', 'Für Besucher nicht sichtbar', '訪問者には表示されません'],
  membersOnlyText: [
    'This account asks to be shown only to people who are signed in. Sign in to see it.',
    'Dieses Konto möchte nur Angemeldeten gezeigt werden. Melde dich an, um es zu sehen.',
    'このアカウントはログインした人だけに表示されます。ログインしてご覧ください。',
  ],
  gone: [
    'There is no such account or post, or it was deleted.',
    'Dieses Konto oder diesen Beitrag gibt es nicht oder nicht mehr.',
    'アカウントや投稿が存在しないか、削除されました。',
  ],
  tooMany: ['Too many pages at once', 'Zu viele Seiten auf einmal', 'アクセスが多すぎます'],
  tooManyText: [
    'Wait a minute, and load this page again.',
    'Warte eine Minute und lade die Seite neu.',
    '1 分ほど待ってから再読み込みしてください。',
  ],
  notYet: ['Not known here yet', 'Hier noch nicht bekannt', 'まだ見つかっていません'],
  notYetText: [
    'This server is looking for it. Load this page again in a minute.',
    'Dieser Server sucht danach. Lade die Seite in einer Minute neu.',
    'サーバーが探しています。1 分後に再読み込みしてください。',
  ],
} as const satisfies Record<string, Texts>

/** Words in a visitor's language. */
export type Say = {
  (key: keyof typeof table, values?: Readonly<Record<string, string>>): string
  language: PageLanguage
}

export function sayIn(language: PageLanguage): Say {
  const say = (key: keyof typeof table, values?: Readonly<Record<string, string>>) =>
    inLanguage(language, table[key], values)
  return Object.assign(say, { language })
}
