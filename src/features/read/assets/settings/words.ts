// What the settings say, apart from the words that every page needs.

import { type Key, phrasesOf, t } from '../page/words.ts'

const table = {
  mutedWords: ['Muted words', 'Stummgeschaltete Wörter', 'ミュートする言葉'],
  addWord: ['Mute this word', 'Dieses Wort stummschalten', 'この言葉をミュート'],
  pushed: [
    'What your devices are notified of',
    'Worüber deine Geräte benachrichtigt werden',
    '端末に通知するもの',
  ],
  'push-reply': ['Replies', 'Antworten', '返信'],
  'push-mention': ['Mentions', 'Erwähnungen', '言及'],
  'push-quote': ['Quotes', 'Zitate', '引用'],
  'push-like': ['Likes', '„Gefällt mir“', 'いいね'],
  'push-repost': ['Reposts', 'Reposts', 'リポスト'],
  'push-follow': ['New followers', 'Neue Follower', '新しいフォロワー'],
  'push-likeViaRepost': [
    'Likes of what you reposted',
    '„Gefällt mir“ bei deinen Reposts',
    'あなたのリポストへのいいね',
  ],
  'push-repostViaRepost': [
    'Reposts of what you reposted',
    'Reposts deiner Reposts',
    'あなたのリポストのリポスト',
  ],
  'push-subscribedPost': [
    'Posts of accounts you subscribe to',
    'Beiträge abonnierter Konten',
    '購読中のアカウントの投稿',
  ],
  'push-starterpackJoined': [
    'People who came by your starter packs',
    'Wer über deine Starterpakete kam',
    'スターターパックからの参加',
  ],
  'push-verified': ['Verified', 'Verifiziert', '認証'],
  'push-unverified': ['Verification withdrawn', 'Verifizierung zurückgezogen', '認証の取り消し'],
  quiet: ['Quiet hours', 'Ruhezeit', '通知しない時間'],
  quietText: [
    'No device of yours is notified in these hours.',
    'In dieser Zeit wird keines deiner Geräte benachrichtigt.',
    'この時間帯は、どの端末にも通知しません。',
  ],
  quietNone: ['None set.', 'Keine eingestellt.', '設定されていません。'],
  quietFrom: ['From', 'Von', '開始'],
  quietUntil: ['Until', 'Bis', '終了'],
  bring: ['Bring my things from Bluesky', 'Meine Sachen von Bluesky holen', 'Bluesky から引き継ぐ'],
  bringText: [
    'Mutes, muted lists, bookmarks, drafts, notification settings and what you have read already are known only to the AppView you used before. Your server asks once more, because this needs calls to that AppView.',
    'Stummschaltungen, stumme Listen, Lesezeichen, Entwürfe, Mitteilungseinstellungen und Gelesenes kennt nur die bisherige AppView. Dein Server fragt dafür noch einmal.',
    'ミュート、リストのミュート、ブックマーク、下書き、通知設定、既読位置は以前の AppView だけが知っています。サーバーがもう一度確認します。',
  ],
  leave: ['Take my things to Bluesky', 'Meine Sachen zu Bluesky bringen', 'Bluesky へ持っていく'],
  moving: ['{what}: {done}', '{what}: {done}', '{what}：{done}'],
  moved: [
    'Done: {count} things moved, {failed} refused.',
    'Fertig: {count} Dinge übertragen, {failed} abgelehnt.',
    '完了：{count} 件を移し、{failed} 件は断られました。',
  ],
  mutes: ['Muted accounts', 'Stumme Konten', 'ミュートしたアカウント'],
  mutedLists: ['Muted lists', 'Stumme Listen', 'ミュートしたリスト'],
  subscriptions: ['Subscriptions', 'Abonnements', '購読'],
  unreadPosition: ['What you have read', 'Gelesenes', '既読位置'],
  language: ['Language', 'Sprache', '言語'],
  signOut: ['Sign out', 'Abmelden', 'ログアウト'],
  signedOut: ['You are signed out.', 'Du bist abgemeldet.', 'ログアウトしました。'],
} as const satisfies Record<string, readonly [string, string, string]>

export const phrase = phrasesOf(table)

/** What is moved has its name here, or is a page, which has one everywhere. */
export const nameOf = (moved: keyof typeof table | Key): string =>
  Object.hasOwn(table, moved) ? phrase(moved as keyof typeof table) : t(moved as Key)
